"""The list of tables, for Django only: nothing else imports this module."""

from connectors.access.models import Agent, AgentToken, Epoch, SignInLink, Team, User
from connectors.audit.models import (
    AdminEvent,
    CallRecord,
    CapturedContent,
    ChainCheck,
    ChainHead,
    ChainSegment,
    ChainTip,
    DecisionRecord,
    SavedView,
)
from connectors.audit.usage_models import LateCall, RollupMark, SweepRecord, UsageDay, UsageHour, UsageSubject
from connectors.authorization.models import (
    AuthorizationSession,
    Connection,
    ConnectionAvatar,
    Credential,
    RefreshLease,
    RegisteredClient,
    RevocationJob,
)
from connectors.catalogue.models import Category, ConfigurationSecret, Connector, PackageIcon, PackageVersion
from connectors.gateway.models import Invocation, Run, Toolset
from connectors.ledger.models import (
    DigestDelivery,
    DigestWebhook,
    Disposition,
    LedgerEntry,
    Notice,
    NoticeReader,
    Probe,
    ProbeDay,
    Review,
    ReviewLine,
    ToolChange,
)
from connectors.lifecycle.models import Drain, RemovalJob
from connectors.packages.models import StagedPackage
from connectors.policy.models import Grant
from connectors.vault.models import KeyCanary

__all__ = [
    "AdminEvent",
    "Agent",
    "AgentToken",
    "AuthorizationSession",
    "CallRecord",
    "CapturedContent",
    "Category",
    "ChainCheck",
    "ChainHead",
    "ChainSegment",
    "ChainTip",
    "ConfigurationSecret",
    "Connection",
    "ConnectionAvatar",
    "Connector",
    "Credential",
    "DecisionRecord",
    "DigestDelivery",
    "DigestWebhook",
    "Disposition",
    "Drain",
    "Epoch",
    "Grant",
    "Invocation",
    "KeyCanary",
    "LateCall",
    "LedgerEntry",
    "Notice",
    "NoticeReader",
    "PackageIcon",
    "PackageVersion",
    "Probe",
    "ProbeDay",
    "RefreshLease",
    "RegisteredClient",
    "RemovalJob",
    "Review",
    "ReviewLine",
    "RevocationJob",
    "RollupMark",
    "Run",
    "SavedView",
    "SignInLink",
    "StagedPackage",
    "SweepRecord",
    "Team",
    "ToolChange",
    "Toolset",
    "UsageDay",
    "UsageHour",
    "UsageSubject",
    "User",
]
