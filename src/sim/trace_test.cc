#include "sim/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/trace_workload.h"

namespace berth::sim {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using Reader = Result<Conversations> (*)(const std::string&);

constexpr const char* kHeading =
    "session,stream,idx,t_s,think_s,api_s,in_tokens,out_tokens,prefix_blocks_prev\n";

class Traces : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "tracesXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return folder / name;
  }
  std::string error_of(Reader reader, const std::string& text, const std::string& name = "trace") {
    const auto read = reader(file(name, text));
    EXPECT_FALSE(read.has_value());
    return read ? "" : read.error().message;
  }
  std::filesystem::path folder;
};

TEST_F(Traces, TheCsvsRowsBecomeConversationsWithWhatEachTurnRepeats) {
  const auto read = read_claude_code_csv(file("requests.csv", std::string(kHeading) +
                                                                  "a,main,0,0,,2,1000,50,0\r\n"
                                                                  "b,main,0,0,,2,2000,0,0\r\n"
                                                                  "a,main,1,9,4.5,2,1500,60,15\r\n"
                                                                  "a,main,2,20,,2,1600,60,20\r\n"));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  const ConversationPlan& a = (*read)[0];
  ASSERT_EQ(a.turns.size(), 3U);
  EXPECT_EQ(a.turns[1].prompt_tokens, 1'500U);
  EXPECT_EQ(a.turns[1].kept_tokens, 960U);
  EXPECT_EQ(a.turns[1].gap, std::chrono::milliseconds(4'500));
  // Where no pause was recorded: 20 s less the 9 s and 2 s of the request before.
  EXPECT_EQ(a.turns[2].gap, std::chrono::seconds(9));
  EXPECT_EQ((*read)[1].turns[0].output_tokens, 1U);
  EXPECT_TRUE(read_claude_code_csv(folder).has_value()) << "the folder stands for its requests.csv";
}

TEST_F(Traces, ABadCsvRowIsNamedByFileLineAndField) {
  const auto error = [&](const std::string& rows) {
    return error_of(read_claude_code_csv, kHeading + rows, "bad.csv");
  };
  EXPECT_THAT(error("a,main,0,0,0,2,1000,50,0\na,main,1,9,4,2,15x,60,15\n"),
              EndsWith("bad.csv:3: in_tokens: '15x' is not a whole number from 0 to 20000000"));
  EXPECT_THAT(error("a,main,0,0,0,2,1000,-5,0\n"), HasSubstr("bad.csv:2: out_tokens: '-5'"));
  EXPECT_THAT(error("a,main,0,0,soon,2,1000,5,0\n"), HasSubstr("bad.csv:2: think_s: 'soon'"));
  EXPECT_THAT(error("a,main,0,0,nan,2,1000,5,0\n"), HasSubstr("think_s: 'nan'"));
  EXPECT_THAT(error("a,main,0,0,0,2,0,5,0\n"), HasSubstr("bad.csv:2: in_tokens: a prompt"));
  EXPECT_THAT(error("a,main,0,0,0,2,1000\n"), HasSubstr("bad.csv:2: row: it has 7 cells"));
  EXPECT_THAT(error("a,main,1,0,0,2,1000,5,0\na,main,1,0,0,2,1000,5,0\n"),
              HasSubstr("bad.csv:3: idx: 1 does not come after 1"));
  EXPECT_THAT(error("a,main,0,0,0,2,1000,5,0\na,main,1,0,0,2,9000,5,16\n"),
              HasSubstr("bad.csv:3: prefix_blocks_prev: 16 blocks"));
  EXPECT_THAT(error_of(read_claude_code_csv, "session,stream,idx,think_s,in_tokens,out_tokens\n"),
              HasSubstr(":1: prefix_blocks_prev: there is no such column"));
  EXPECT_THAT(error(""), HasSubstr("there is no request in it"));
  EXPECT_EQ(read_claude_code_csv(folder / "none.csv").error().code, ErrorCode::kIo);
}

constexpr const char* kTester = R"({"id":"x","block_size":64,"requests":[
 {"t":0,"type":"s","in":200,"out":5,"hash_ids":[1,2,3]},
 {"t":4,"type":"n","in":200,"out":6,"hash_ids":[1,2,3]},
 {"t":9,"type":"subagent","requests":[{"t":0,"type":"s","in":100,"out":7,"hash_ids":[8]}]},
 {"t":9,"type":"subagent","requests":[{"t":0,"type":"s","in":110,"out":7,"hash_ids":[9]}]},
 {"t":12,"type":"s","in":300,"out":5,"hash_ids":[1,2,4,5]},
 {"t":20,"type":"s","in":320,"out":5,"hash_ids":[1,2,4,5,6],"think_time":2.5}]})";

TEST_F(Traces, TestersFilesGiveTurnsSubagentsAndNoRepeats) {
  const auto read = read_kv_cache_tester(file("a.json", kTester));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->size(), 1U);
  const std::vector<TurnPlan>& turns = (*read)[0].turns;
  ASSERT_EQ(turns.size(), 3U);
  EXPECT_EQ(turns[1].kept_tokens, 128U);
  EXPECT_EQ(turns[1].gap, std::chrono::seconds(8)) << "since the request that was sent again";
  ASSERT_EQ(turns[1].children.size(), 2U);
  EXPECT_EQ(turns[1].children[1].turns[0].prompt_tokens, 110U);
  EXPECT_EQ(turns[2].gap, std::chrono::milliseconds(2'500));
  EXPECT_TRUE(turns[2].children.empty());
  EXPECT_EQ(read_kv_cache_tester(folder)->size(), 1U) << "a folder stands for its *.json";
}

TEST_F(Traces, ABadTesterFileIsNamedByFilePlaceAndField) {
  const auto error = [&](const std::string& text) {
    return error_of(read_kv_cache_tester, text, "bad.json");
  };
  EXPECT_THAT(error("{\"block_size\":64,"), HasSubstr("bad.json: not JSON, at byte"));
  EXPECT_THAT(error("{\"requests\":[]}"), HasSubstr("bad.json: block_size: it is missing"));
  EXPECT_THAT(error("{\"block_size\":64}"), HasSubstr("bad.json: requests: it is missing"));
  EXPECT_THAT(error(R"({"block_size":64,"requests":[{"in":1,"out":1,"hash_ids":[1]},{"in":"x"}]})"),
              HasSubstr("bad.json: requests[1]: in: \"x\" is not a whole number"));
  EXPECT_THAT(
      error(R"({"block_size":64,"requests":[{"type":"subagent","requests":[{"in":1,"out":1}]}]})"),
      HasSubstr("bad.json: requests[0].requests[0]: hash_ids: it is missing"));
  EXPECT_THAT(error(R"({"block_size":64,"requests":[]})"), HasSubstr("there is no request"));
}

TEST_F(Traces, MooncakesLinesKeepTheirGlobalIds) {
  const auto read = read_mooncake(
      file("a.jsonl", R"({"timestamp":0,"input_length":1000,"output_length":5,"hash_ids":[7,8]})"
                      "\n\n"
                      R"({"timestamp":40,"input_length":512,"output_length":0,"hash_ids":[7]})"
                      "\n"));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_FALSE((*read)[0].named);
  EXPECT_EQ((*read)[0].content, (std::vector<std::uint64_t>{7, 8}));
  EXPECT_EQ((*read)[0].content_tokens, 512U);
}

TEST_F(Traces, ABadMooncakeLineIsNamedByFileLineAndField) {
  const std::string good = R"({"timestamp":0,"input_length":9,"output_length":5,"hash_ids":[7]})";
  const auto error = [&](const std::string& line) {
    return error_of(read_mooncake, good + "\n" + line, "bad.jsonl");
  };
  EXPECT_THAT(error("{\"timestamp\":0"), HasSubstr("bad.jsonl:2: not JSON"));
  EXPECT_THAT(error("[]"), HasSubstr("bad.jsonl:2: not a JSON object"));
  EXPECT_THAT(error(R"({"input_length":9,"hash_ids":[7]})"),
              HasSubstr("bad.jsonl:2: output_length: it is missing"));
  EXPECT_THAT(error(R"({"input_length":513,"output_length":5,"hash_ids":[7]})"),
              HasSubstr("bad.jsonl:2: hash_ids: 1 ids for 513 tokens"));
  EXPECT_THAT(error(R"({"input_length":9,"output_length":5,"hash_ids":["x"]})"),
              HasSubstr("bad.jsonl:2: hash_ids: \"x\" is not a block's number"));
}

}  // namespace
}  // namespace berth::sim
