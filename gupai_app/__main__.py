"""The entry point of `gupai`. It imports nothing at first, so that ctrl-C is answered in a line from the beginning."""

import sys


def main() -> None:
    """Run the command line and end the process with its exit status."""
    try:
        from gupai_app.shell.cli import main as run

        run()
    except KeyboardInterrupt:
        print("gupai: stopped", file=sys.stderr)
        sys.exit(130)
    finally:
        import signal

        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as under nohup
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # who does not wait until threads end, ends them


if __name__ == "__main__":
    main()
