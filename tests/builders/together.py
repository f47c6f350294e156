"""Several acts at the same moment, each in a thread with a database connection of its own."""

import threading
from collections.abc import Callable
from typing import Any

from django.db import connections

from connectors.errors import ConnectorError


def run_together(*acts: Callable[[], Any]) -> list[Any]:
    """Return what each act returned, or the expected error it raised; anything else is raised here."""
    start = threading.Barrier(len(acts))
    results: list[Any] = [None] * len(acts)
    broken: list[BaseException] = []

    def run(number: int, act: Callable[[], Any]) -> None:
        start.wait()
        try:
            results[number] = act()
        except ConnectorError as error:
            results[number] = error
        except BaseException as error:  # noqa: BLE001 - raised below, in the test's own thread
            broken.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if broken:
        raise broken[0]
    return results


def codes(results: list[Any]) -> list[str]:
    """Return the code of each result that is an error, "" for the others."""
    return [result.code if isinstance(result, ConnectorError) else "" for result in results]
