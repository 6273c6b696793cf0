"""A throw-away folder with given files, for the tests of the check_* tools."""
import contextlib
import pathlib
import tempfile


@contextlib.contextmanager
def tree(files):
    """Writes {relative path: text} below a temporary folder and yields the folder."""
    with tempfile.TemporaryDirectory() as temp:
        top = pathlib.Path(temp)
        for name, text in files.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        yield top
