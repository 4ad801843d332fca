"""Makes the virtual environment import hocket from this checkout, and gives it the `hocket` command.

The build writes the extension module into python/hocket/, so no reinstallation is necessary after a rebuild.
"""

import pathlib
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main() -> None:
    if sys.prefix == sys.base_prefix:
        sys.exit("dev_install.py: run me with a virtual environment's python")
    pathlib.Path(sysconfig.get_path("purelib"), "hocket-dev.pth").write_text(f"{ROOT / 'python'}\n")
    command = pathlib.Path(sysconfig.get_path("scripts"), "hocket")
    command.write_text(f"#!{sys.executable}\nimport sys\n\nfrom hocket.cli import main\n\nsys.exit(main())\n")
    command.chmod(0o755)


if __name__ == "__main__":
    main()
