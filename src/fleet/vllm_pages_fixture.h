// Metrics pages as vLLM shows them, cut to what a test needs: for tests only.
#pragma once

#include <string>

namespace berth::fleet {

// About version 0.22, `--data-parallel-size 2`: num_gpu_blocks is the sum of both ranks (2 x 1000).
inline const std::string kPageTwoRanks = R"(# HELP python_info Python platform information
# TYPE python_info gauge
python_info{implementation="CPython",major="3",minor="12",patchlevel="9",version="3.12.9"} 1.0
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 3.0
vllm:num_requests_running{engine="1",model_name="Qwen/Qwen3-4B-Instruct-2507"} 0.0
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 2.0
vllm:num_requests_waiting{engine="1",model_name="Qwen/Qwen3-4B-Instruct-2507"} 0.0
# TYPE vllm:num_requests_waiting_by_reason gauge
vllm:num_requests_waiting_by_reason{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507",reason="capacity"} 1.0
vllm:num_requests_waiting_by_reason{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507",reason="deferred"} 1.0
# TYPE vllm:engine_sleep_state gauge
vllm:engine_sleep_state{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507",sleep_state="awake"} 1.0
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 0.93
vllm:kv_cache_usage_perc{engine="1",model_name="Qwen/Qwen3-4B-Instruct-2507"} 0.0
# TYPE vllm:prefix_cache_queries_total counter
vllm:prefix_cache_queries_total{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 200000.0
vllm:prefix_cache_queries_total{engine="1",model_name="Qwen/Qwen3-4B-Instruct-2507"} 40000.0
# TYPE vllm:prefix_cache_queries_created gauge
vllm:prefix_cache_queries_created{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 1.7e+09
# TYPE vllm:prefix_cache_hits_total counter
vllm:prefix_cache_hits_total{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 172800.0
vllm:prefix_cache_hits_total{engine="1",model_name="Qwen/Qwen3-4B-Instruct-2507"} 32.0
# TYPE vllm:external_prefix_cache_queries_total counter
vllm:external_prefix_cache_queries_total{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 7.0
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 4.0
vllm:num_preemptions_total{engine="1",model_name="Qwen/Qwen3-4B-Instruct-2507"} 0.0
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 190000.0
vllm:prompt_tokens_total{engine="1",model_name="Qwen/Qwen3-4B-Instruct-2507"} 39000.0
# TYPE vllm:prompt_tokens_by_source_total counter
vllm:prompt_tokens_by_source_total{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507",source="local_compute"} 20000.0
vllm:prompt_tokens_by_source_total{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507",source="local_cache_hit"} 169000.0
vllm:prompt_tokens_by_source_total{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507",source="external_kv_transfer"} 1000.0
# TYPE vllm:prompt_tokens_cached_total counter
vllm:prompt_tokens_cached_total{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 170000.0
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 5000.0
vllm:generation_tokens_total{engine="1",model_name="Qwen/Qwen3-4B-Instruct-2507"} 900.0
# TYPE vllm:request_success_total counter
vllm:request_success_total{engine="0",finished_reason="stop",model_name="Qwen/Qwen3-4B-Instruct-2507"} 20.0
vllm:request_success_total{engine="0",finished_reason="length",model_name="Qwen/Qwen3-4B-Instruct-2507"} 3.0
# TYPE vllm:iteration_tokens_total histogram
vllm:iteration_tokens_total_bucket{engine="0",le="1.0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 12.0
vllm:iteration_tokens_total_count{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 6000.0
vllm:iteration_tokens_total_sum{engine="0",model_name="Qwen/Qwen3-4B-Instruct-2507"} 99999.0
# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{block_size="16",cache_dtype="auto",calculate_kv_scales="False",enable_prefix_caching="True",engine="0",gpu_memory_utilization="0.92",num_cpu_blocks="None",num_gpu_blocks="2000",num_gpu_blocks_override="None",prefix_caching_hash_algo="sha256",sliding_window="None"} 1.0
vllm:cache_config_info{block_size="16",cache_dtype="auto",calculate_kv_scales="False",enable_prefix_caching="True",engine="1",gpu_memory_utilization="0.92",num_cpu_blocks="None",num_gpu_blocks="2000",num_gpu_blocks_override="None",prefix_caching_hash_algo="sha256",sliding_window="None"} 1.0
)";

// Before June 2025: gpu_ names, no _total on a page written without the client library's suffix, no
// engine label.
inline const std::string kPageOldNames = R"(# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{model_name="llama"} 1.0
vllm:num_requests_waiting{model_name="llama"} 0.0
vllm:gpu_cache_usage_perc{model_name="llama"} 0.25
vllm:cpu_cache_usage_perc{model_name="llama"} 0.0
vllm:gpu_prefix_cache_queries{model_name="llama"} 1000
vllm:gpu_prefix_cache_hits{model_name="llama"} 640
vllm:prompt_tokens{model_name="llama"} 900
vllm:generation_tokens{model_name="llama"} 80
vllm:num_preemptions{model_name="llama"} 2
vllm:cache_config_info{block_size="16",num_gpu_blocks="573",num_gpu_blocks_override="None",sliding_window="None"} 1.0
)";

// June to November 2025: both names at once.
inline const std::string kPageBothNames =
    R"(vllm:gpu_cache_usage_perc{engine="0",model_name="llama"} 0.5
vllm:kv_cache_usage_perc{engine="0",model_name="llama"} 0.5
vllm:gpu_prefix_cache_queries_total{engine="0",model_name="llama"} 1000.0
vllm:gpu_prefix_cache_hits_total{engine="0",model_name="llama"} 600.0
vllm:prefix_cache_queries_total{engine="0",model_name="llama"} 1000.0
vllm:prefix_cache_hits_total{engine="0",model_name="llama"} 600.0
)";

// From version 0.23 on, a hybrid model on two ranks: block_size is the smallest of the cache
// groups', and kv_cache_size_tokens is of one rank.
inline const std::string kPageHybrid = R"(vllm:num_requests_running{engine="0",model_name="v4"} 0.0
vllm:num_requests_running{engine="1",model_name="v4"} 0.0
vllm:cache_config_info{block_size="4",engine="0",kv_cache_max_concurrency="4.5",kv_cache_size_tokens="1179648",num_gpu_blocks="18000",user_specified_block_size="True"} 1.0
vllm:cache_config_info{block_size="4",engine="1",kv_cache_max_concurrency="4.5",kv_cache_size_tokens="1179648",num_gpu_blocks="18000",user_specified_block_size="True"} 1.0
)";

}  // namespace berth::fleet
