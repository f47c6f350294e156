"""Whatever several people, agents and workers do at once: connector, version, archive and configuration agree.

`POCO_RACES=50` searches longer; the seed of a failure is in its message.
"""

import os
import random
from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from connectors.authorization import sessions
from connectors.catalogue.configuration import save_configuration
from connectors.catalogue.models import Connector, PackageVersion
from connectors.errors import ConnectorError
from connectors.gateway.models import Run
from connectors.gateway.runs import join_run, open_run
from connectors.gateway.stopping import LAST_CALLS
from connectors.lifecycle.drain import RemovalChange, RollbackChange, cancel_drain, start_drain
from connectors.lifecycle.drain_finishing import finish_drains
from connectors.lifecycle.removal import remove_connector
from connectors.lifecycle.removal_steps import advance_removals
from connectors.lifecycle.rollback import roll_back
from connectors.lifecycle.run_ending import end_runs
from tests.builders.agreement import check_agreement
from tests.builders.attempts import make_attempt
from tests.builders.connectors import make_agent
from tests.builders.packages import ENDPOINT_FIELD
from tests.builders.people import make_user
from tests.builders.together import run_together
from tests.builders.versions import ENDPOINT, update, update_change

pytestmark = pytest.mark.django_db(transaction=True)
SEEDS = range(int(os.environ.get("POCO_RACES", "2")))
THREADS, ACTS = 4, 10
REGION = {"key": "region", "type": "text", "label_key": "configuration.region.label", "default": "eu"}
TOKEN = {"key": "token", "type": "secret", "label_key": "configuration.token.label"}


class Crowd:
    """One of several that act at once; what is refused is counted and goes on."""

    def __init__(self, seed: str, workshop, archives, agent) -> None:
        self.random = random.Random(seed)
        self.workshop, self.archives, self.agent = workshop, archives, agent
        self.ends = Counter()

    def act(self) -> None:
        for _ in range(ACTS):
            act = self.random.choice(ACTIONS)
            connector = Connector.objects.select_related("version").filter(key="records").first()
            try:
                if connector is None:
                    self.workshop.install(configuration=FIELDS["1.0.0"])
                else:
                    act(self, connector)
                self.ends[act.__name__] += 1
            except ConnectorError as error:
                self.ends[error.code] += 1

    def update(self, connector) -> None:
        update(connector, self.random.choice(self.archives))

    def roll_back(self, connector) -> None:
        version = self.random.choice(list(PackageVersion.objects.filter(key="records")))
        roll_back(connector=connector, version=version, actor=None)

    def save(self, connector) -> None:
        raw = {"endpoint": f"https://{self.random.randrange(9)}.example/mcp", "token": "t"}
        declared = {one["key"] for one in connector.version.manifest["configuration"]["fields"]}
        save_configuration(
            connector=connector,
            raw={key: value for key, value in raw.items() if key in declared},
            expected_revision=connector.configuration_revision,
            actor=None,
        )

    def run(self, connector) -> None:
        versions = {connector.key: connector.version.manifest_revision}
        run = open_run(self.agent.pk, self.agent.owner_id, str(self.random.randrange(2)), versions)
        join_run(run, connector.pk, connector.key, connector.version.manifest_revision)

    def end_runs(self, _connector) -> None:
        Run.objects.filter(ended_at=None).update(idle_ends_at=timezone.now() - timedelta(seconds=1))

    def sign_in(self, connector) -> None:
        state, attempt = sessions.new_state(), sessions.Attempt(self.agent.owner, connector, "b")
        kept, expected = sessions.Kept(sessions.new_state()), sessions.Expected()
        session = sessions.open_attempt(attempt, state=state, kept=kept, expected=expected)
        if sessions.claim(session):
            sessions.fail(session, ConnectorError("given_up"))

    def drain(self, connector) -> None:
        changes = [
            lambda: update_change(self.random.choice(self.archives)),
            lambda: RollbackChange(self.random.choice(list(PackageVersion.objects.filter(key="records")))),
            lambda: RemovalChange("records"),
        ]
        start_drain(connector=connector, change=self.random.choice(changes)(), actor=None)

    def cancel(self, connector) -> None:
        cancel_drain(connector=connector, actor=None)

    def stop(self, connector) -> None:
        end_runs(connector=connector, actor=None)

    def let_last_calls_end(self, _connector) -> None:
        Run.objects.exclude(stopped_at=None).update(stopped_at=timezone.now() - LAST_CALLS)

    def work(self, _connector) -> None:
        finish_drains()
        advance_removals()

    def remove(self, connector) -> None:
        if self.random.random() < 0.3:
            remove_connector(connector=connector, typed_key="records", actor=None)


ACTIONS = (
    *(Crowd.update, Crowd.update, Crowd.roll_back, Crowd.save, Crowd.run, Crowd.end_runs, Crowd.end_runs),
    *(Crowd.sign_in, Crowd.drain, Crowd.cancel, Crowd.work, Crowd.remove),
    *(Crowd.stop, Crowd.let_last_calls_end),
)
FIELDS = {
    "1.0.0": {"fields": [ENDPOINT_FIELD]},
    "1.1.0": {"fields": [ENDPOINT_FIELD, REGION]},
    "1.2.0": {"fields": [ENDPOINT_FIELD, REGION, TOKEN]},
    "2.0.0": {"fields": [ENDPOINT_FIELD]},
}


@pytest.mark.timeout(120 + 20 * len(SEEDS))
@pytest.mark.parametrize("seed", SEEDS)
def test_they_agree_after_every_interleaving(workshop, seed):
    archives = [workshop.pack(version, configuration=fields) for version, fields in FIELDS.items()]
    connector = workshop.install(configuration=FIELDS["1.0.0"], values=ENDPOINT)
    for _ in range(2):
        make_attempt(connector, make_user())
    crowds = [Crowd(f"{seed} {number}", workshop, archives, make_agent()[0]) for number in range(THREADS)]
    run_together(*[partial(crowd.act) for crowd in crowds])
    settle()
    check_agreement()
    done = sum((crowd.ends for crowd in crowds), Counter())
    assert done.total() == THREADS * ACTS, done


def settle() -> None:
    """What a worker would do soon: whatever waits is either done or waits for good reason."""
    for _ in range(3):
        finish_drains()
        advance_removals()
