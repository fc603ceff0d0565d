"""validate-json.py [--closed] SCHEMA DOCUMENT

Validates a JSON document against a JSON Schema and prints what does not fit, a line each; status 1 if anything does not.
--closed: fields that the schema does not name are not allowed anywhere either, so that nothing stays undocumented.
"""

import json
import sys

import jsonschema


def close(schema):
    if isinstance(schema, dict):
        for part in schema.values():
            close(part)
        if "properties" in schema:
            schema["additionalProperties"] = False
    elif isinstance(schema, list):
        for part in schema:
            close(part)


arguments = sys.argv[1:]
closed = arguments[0] == "--closed"
schema_path, document_path = arguments[1:] if closed else arguments
with open(schema_path, encoding="utf-8") as file:
    schema = json.load(file)
with open(document_path, encoding="utf-8") as file:
    document = json.load(file)
validator = jsonschema.validators.validator_for(schema)
validator.check_schema(schema)
if closed:
    close(schema)
errors = list(validator(schema).iter_errors(document))
for error in errors:
    print("/".join(map(str, error.absolute_path)), error.message[:300])
sys.exit(1 if errors else 0)
