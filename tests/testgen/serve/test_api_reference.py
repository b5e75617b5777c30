"""Valid and invalid requests from the OpenAPI description: the service follows it, and never fails."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from msgspec import structs
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from testgen.serve.app import create_app

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def described(snapshot, settings, tmp_path_factory):
    """The description of a service that runs no jobs, so that the test need not wait for them."""
    limits = structs.replace(
        settings.limits, jobs_per_client=1_000_000, jobs_per_hour=1_000_000, jobs_kept=1_000_000
    )
    app = create_app(
        structs.replace(settings, directory=tmp_path_factory.mktemp("jobs"), limits=limits, hosts=("*",))
    )
    made = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    return made.exclude(path_regex="/events$")  # of a job that is never begun, they have no end


def test_answers_are_as_described(described):
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) == 15
    for operation in operations:

        @settings(max_examples=settings.default.max_examples // 3, suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy())
        def check(case):
            case.call_and_validate(checks=CHECKS)

        check()
