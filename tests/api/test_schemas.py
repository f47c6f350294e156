import json

from connectors.manifest.json_schema import render_json_schema


def test_the_manifest_schema_is_served_without_a_session(client):
    response = client.get("/schemas/manifest-v1.json")

    assert response.status_code == 200
    assert response["Content-Type"] == "application/schema+json"
    assert "public" in response["Cache-Control"]
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response.content.decode() == render_json_schema()
    assert json.loads(response.content)["$schema"].endswith("2020-12/schema")


def test_the_schema_can_only_be_read(client):
    assert client.post("/schemas/manifest-v1.json").status_code == 405
