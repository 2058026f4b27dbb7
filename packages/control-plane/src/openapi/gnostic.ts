import { toYaml } from '@outrigger/core/yaml';
import { WireWriter } from '../protobuf/wire-writer.js';

/** A writer that caches the YAML of values without a message type, because most of these values occur many times. */
class DocumentWriter extends WireWriter {
  readonly #yaml = new Map<string, string>();

  yaml(value: unknown): string {
    const key = JSON.stringify(value);
    const known = this.#yaml.get(key) ?? toYaml(value);
    this.#yaml.set(key, known);
    return known;
  }
}

/** Writes a member of a JSON document as a field of a message. */
type Write = (writer: DocumentWriter, number: number, value: unknown) => void;
type Members = Readonly<Record<string, unknown>>;
/** The fields of a message, ordered by number. */
type Layout = readonly (readonly [number: number, member: string, write: Write])[];

/** Encodes a document of OpenAPI version 2 in the binary format that Go programs request: gnostic's message `openapi.v2.Document`. */
export function encodeGnostic(document: object): Uint8Array {
  const writer = new DocumentWriter();
  writeMembers(writer, DOCUMENT, document as Members);
  return writer.finish();
}

function writeMembers(writer: DocumentWriter, layout: Layout, members: Members): void {
  for (const [number, member, write] of layout.toReversed()) {
    if (member === EXTENSIONS) writeExtensions(writer, number, members);
    else if (members[member] !== undefined) write(writer, number, members[member]);
  }
}

/** The name in a layout that stands for all extension members, whose names start with `x-`. */
const EXTENSIONS = 'x-*';

function writeExtensions(writer: DocumentWriter, number: number, members: Members): void {
  for (const [name, value] of Object.entries(members).toReversed()) {
    if (name.startsWith('x-')) writeNamed(writer, number, name, () => any(writer, 2, value));
  }
}

const text: Write = (writer, number, value) => writer.textField(number, String(value));
const flag: Write = (writer, number, value) => writer.varintField(number, value === true ? 1 : 0);
const integer: Write = (writer, number, value) => writer.varintField(number, Number(value));

const double: Write = (writer, number, value) => {
  writer.double(Number(value));
  writer.tag(number, 1);
};

/** Writes a value without a message type as YAML. */
const any: Write = (writer, number, value) => writer.delimited(number, () => writer.textField(2, writer.yaml(value)));

function message(layout: () => Layout): Write {
  return (writer, number, value) => writer.delimited(number, () => writeMembers(writer, layout(), value as Members));
}

/** Writes a message whose only field is another message or a value. */
function inside(field: number, write: Write): Write {
  return (writer, number, value) => writer.delimited(number, () => write(writer, field, value));
}

function repeated(write: Write): Write {
  return (writer, number, value) => {
    for (const item of (value as readonly unknown[]).toReversed()) write(writer, number, item);
  };
}

/** Writes a map as a list of names and values, because Protobuf's maps have no order. */
function named(write: Write): Write {
  return (writer, number, value) => {
    for (const [name, item] of Object.entries(value as object).toReversed()) writeNamed(writer, number, name, () => write(writer, 2, item));
  };
}

function writeNamed(writer: DocumentWriter, number: number, name: string, writeValue: () => void): void {
  writer.delimited(number, () => {
    writeValue();
    writer.textField(1, name);
  });
}

const texts = repeated(text);

const additionalProperties: Write = (writer, number, value) => {
  const write = typeof value === 'boolean' ? inside(2, flag) : inside(1, schema);
  write(writer, number, value);
};

const schema: Write = message(() => SCHEMA);
const SCHEMA: Layout = [
  [1, '$ref', text],
  [2, 'format', text],
  [3, 'title', text],
  [4, 'description', text],
  [5, 'default', any],
  [6, 'multipleOf', double],
  [7, 'maximum', double],
  [8, 'exclusiveMaximum', flag],
  [9, 'minimum', double],
  [10, 'exclusiveMinimum', flag],
  [11, 'maxLength', integer],
  [12, 'minLength', integer],
  [13, 'pattern', text],
  [14, 'maxItems', integer],
  [15, 'minItems', integer],
  [16, 'uniqueItems', flag],
  [17, 'maxProperties', integer],
  [18, 'minProperties', integer],
  [19, 'required', texts],
  [20, 'enum', repeated(any)],
  [21, 'additionalProperties', additionalProperties],
  [22, 'type', inside(1, text)],
  [23, 'items', inside(1, schema)],
  [25, 'properties', inside(1, named(schema))],
  [29, 'externalDocs', message(() => EXTERNAL_DOCS)],
  [30, 'example', any],
  [31, EXTENSIONS, any],
];
const EXTERNAL_DOCS: Layout = [
  [1, 'description', text],
  [2, 'url', text],
];

const BODY_PARAMETER: Layout = [
  [1, 'description', text],
  [2, 'name', text],
  [3, 'in', text],
  [4, 'required', flag],
  [5, 'schema', schema],
];
const QUERY_PARAMETER: Layout = [
  [1, 'required', flag],
  [2, 'in', text],
  [3, 'description', text],
  [4, 'name', text],
  [6, 'type', text],
  [20, 'uniqueItems', flag],
];
const PATH_PARAMETER: Layout = [
  [1, 'required', flag],
  [2, 'in', text],
  [3, 'description', text],
  [4, 'name', text],
  [5, 'type', text],
  [19, 'uniqueItems', flag],
];

/** The functions that write parameters, by location. Each location has its own message type. */
const PARAMETERS: Readonly<Record<string, Write>> = {
  body: inside(
    1,
    message(() => BODY_PARAMETER),
  ),
  query: inside(
    2,
    inside(
      3,
      message(() => QUERY_PARAMETER),
    ),
  ),
  path: inside(
    2,
    inside(
      4,
      message(() => PATH_PARAMETER),
    ),
  ),
};
const parameter: Write = (writer, number, value) => PARAMETERS[String((value as Members)['in'])]?.(writer, number, value);

const parameterOrReference: Write = (writer, number, value) => {
  const write =
    '$ref' in (value as Members)
      ? inside(
          2,
          message(() => [[1, '$ref', text]]),
        )
      : inside(1, parameter);
  write(writer, number, value);
};

const RESPONSE: Layout = [
  [1, 'description', text],
  [2, 'schema', inside(1, schema)],
];
const OPERATION: Layout = [
  [1, 'tags', texts],
  [3, 'description', text],
  [5, 'operationId', text],
  [6, 'produces', texts],
  [7, 'consumes', texts],
  [8, 'parameters', repeated(parameterOrReference)],
  [
    9,
    'responses',
    inside(
      1,
      named(
        inside(
          1,
          message(() => RESPONSE),
        ),
      ),
    ),
  ],
  [10, 'schemes', texts],
  [13, EXTENSIONS, any],
];
const operation = message(() => OPERATION);
const PATH_ITEM: Layout = [
  [2, 'get', operation],
  [3, 'put', operation],
  [4, 'post', operation],
  [5, 'delete', operation],
  [6, 'options', operation],
  [7, 'head', operation],
  [8, 'patch', operation],
  [9, 'parameters', repeated(parameterOrReference)],
];
const API_KEY: Layout = [
  [1, 'type', text],
  [2, 'name', text],
  [3, 'in', text],
  [4, 'description', text],
];
const INFO: Layout = [
  [1, 'title', text],
  [2, 'version', text],
];
const DOCUMENT: Layout = [
  [1, 'swagger', text],
  [2, 'info', message(() => INFO)],
  [8, 'paths', inside(2, named(message(() => PATH_ITEM)))],
  [9, 'definitions', inside(1, named(schema))],
  [10, 'parameters', inside(1, named(parameter))],
  [12, 'security', repeated(inside(1, named(inside(1, texts))))],
  [
    13,
    'securityDefinitions',
    inside(
      1,
      named(
        inside(
          2,
          message(() => API_KEY),
        ),
      ),
    ),
  ],
];
