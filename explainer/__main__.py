"""`python -m explainer …`, and the command `glassbox`."""

import sys

from explainer.cli.commands import main


def glassbox() -> int:
    """`glassbox` alone opens the app; `glassbox translate …` is `python -m explainer translate …`."""
    if len(sys.argv) > 1:
        return main(program="glassbox")
    from explainer.server.app import open_app

    open_app()
    return 0


if __name__ == "__main__":
    sys.exit(main())
