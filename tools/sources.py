"""Which files belong to the project, and C++ text without comments and strings. Used by the check_* tools."""
import pathlib
import subprocess

CPP = (".cc", ".h")


def root():
    """The repository's folder."""
    return pathlib.Path(__file__).resolve().parent.parent


def files(top, suffixes=None, under=""):
    """The files git knows or would add below `top`/`under`, sorted; all files when `top` is no repository."""
    top = pathlib.Path(top)
    found = []
    if (top / ".git").exists():
        command = ["git", "-C", str(top), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
        found = [top / name for name in names if name]
    else:
        found = [path for path in top.rglob("*")
                 if not {"build", "node_modules"} & set(path.relative_to(top).parts)]
    base = top / under
    return sorted(path for path in set(found)
                  if path.is_file() and path.is_relative_to(base)
                  and (suffixes is None or path.suffix in suffixes))


def blank(text):
    """C++ text with the inside of comments, strings and character literals replaced by spaces. Lines stay."""
    out = []
    i, n = 0, len(text)
    while i < n:
        two = text[i:i + 2]
        if two == "//":
            end = text.find("\n", i)
            i = _skip(text, i, n if end < 0 else end, out)
        elif two == "/*":
            end = text.find("*/", i + 2)
            i = _skip(text, i, n if end < 0 else end + 2, out)
        elif text[i] == '"' and i > 0 and text[i - 1] == "R" and text[i - 2:i - 1] != "_":
            opened = text.index("(", i)
            end = text.find(")" + text[i + 1:opened] + '"', opened)
            i = _quoted(text, i, n if end < 0 else end + opened - i + 1, out)
        elif text[i] == '"' or (text[i] == "'" and not text[i - 1:i].isalnum()):
            i = _quoted(text, i, _literal_end(text, i), out)
        else:
            out.append(text[i])
            i += 1
    return "".join(out)


def _literal_end(text, start):
    i = start + 1
    while i < len(text) and text[i] != text[start] and text[i] != "\n":
        i += 2 if text[i] == "\\" else 1
    return min(i + 1, len(text))


def _skip(text, start, end, out):
    out.extend(c if c == "\n" else " " for c in text[start:end])
    return end


def _quoted(text, start, end, out):
    """Keeps the quotes, so that a blanked string is still an operand."""
    out.append(text[start])
    _skip(text, start + 1, end - 1, out)
    out.append(text[start])
    return end


def line_of(text, offset):
    """1-based line of an offset."""
    return text.count("\n", 0, offset) + 1


def report(problems, what):
    """Prints one problem a line; the exit status of a check."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{what}: {len(problems)} problem{'s' if len(problems) != 1 else ''}")
    return 1 if problems else 0
