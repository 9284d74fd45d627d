import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  errorMessage,
  parseGroupVersion,
  parseJsonStrict,
  type DocumentFacts,
  stringifyJson,
  type GroupVersionKind,
  type JsonObject,
  type KubeObject,
} from '@apichain/meta';
import {
  applyStrategicMergePatch,
  canonicalize,
  decodeObject,
  StrategicMergePatchError,
  type Type,
} from '@apichain/scheme';
import { defaulterFor } from './defaults/index.ts';
import { recordedScenarios, type RecordedStep } from './defaults/recorded-steps.fixture.ts';
import { sharedPath } from '@apichain/schema/shared-folder.fixture';
import { isRecord, record, text, type Plain } from './fields.ts';
import { builtinType, builtinTypes, registeredKinds } from './types.ts';

function gvkOf(object: Plain): GroupVersionKind {
  return { ...parseGroupVersion(text(object.apiVersion)), kind: text(object.kind) };
}

describe('the table of built-in types', () => {
  it('puts inline structs in place', () => {
    const deployment = builtinType({ group: 'apps', version: 'v1', kind: 'Deployment' });
    assert.deepEqual(
      deployment?.fields?.map((field) => field.name),
      ['kind', 'apiVersion', 'metadata', 'spec', 'status'],
    );
    const rule = builtinTypes.type('admissionregistration.k8s.io.v1.NamedRuleWithOperations');
    assert.deepEqual(rule.byName?.get('scope')?.protoEmbedded, {
      number: 2,
      typeName: 'admissionregistration.k8s.io.v1.RuleWithOperations',
      inner: { number: 2, typeName: 'admissionregistration.k8s.io.v1.Rule' },
    });
  });

  it('closes types that contain themselves', () => {
    const schema = builtinTypes.type('apiextensions.k8s.io.v1.JSONSchemaProps');
    assert.equal(schema.byName?.get('properties')?.type.values, schema);
    assert.equal(schema.byName?.get('items')?.type.items, schema);
  });

  it('has the merge strategy of lists', () => {
    const containers = builtinTypes.type('core.v1.PodSpec').byName?.get('containers');
    assert.deepEqual(containers?.patchStrategy, ['merge']);
    assert.equal(containers?.patchMergeKey, 'name');
    assert.equal(containers?.type.listType, 'map');
    assert.deepEqual(containers?.type.listMapKeys, ['name']);
  });

  it('finds options and unversioned kinds', () => {
    const name = (group: string, version: string, kind: string) => builtinType({ group, version, kind })?.name;
    assert.equal(name('apps', 'v1', 'DeleteOptions'), 'meta.v1.DeleteOptions');
    assert.equal(name('', 'v1', 'Status'), 'meta.v1.Status');
    assert.equal(name('meta.k8s.io', 'v1', 'Table'), 'meta.v1.Table');
    assert.equal(name('apps', 'v1', 'Status'), undefined);
    assert.equal(name('apps', 'v9', 'Deployment'), undefined);
  });

  it('holds every registered kind', () => {
    const kinds = registeredKinds();
    assert.ok(kinds.length > 300);
    for (const { typeName } of kinds) assert.equal(builtinTypes.type(typeName).kind, 'object', typeName);
  });
});

describe('decoding built-in kinds', () => {
  it('round-trips every fully populated object byte for byte', function () {
    const folder = sharedPath(this, 'testdata/api-roundtrip');
    let objects = 0;
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
      const value = record(parseJsonStrict(readFileSync(join(folder, file))).value);
      const type = value.apiVersion === undefined ? undefined : builtinType(gvkOf(value));
      if (type === undefined) continue;
      const { object, unknownFields } = decodeObject(value, type);
      assert.deepEqual(unknownFields, [], file);
      assert.equal(stringifyJson(object), stringifyJson(value), file);
      objects++;
    }
    assert.ok(objects > 150);
  });

  it('fails and warns with the messages of kube-apiserver', async function () {
    const areas = ['errors', 'create-update-delete', 'kinds-validation', 'crd', 'aggregation', 'kinds-defaults'];
    const steps = (await Promise.all(areas.map((area) => recordedScenarios(this, area)))).flat(2);
    const failures = steps.flatMap(decodingDifference);
    assert.deepEqual(failures, []);
  });
});

const unknownField = /unknown field "([^"]+)"/g;

/** The differences between the recorded response and the decoded request. */
function decodingDifference(step: RecordedStep): string[] {
  if (step.method !== 'POST' || step.contentType !== 'application/json' || step.body === undefined) return [];
  const parsed = parse(step.body);
  const type = parsed === undefined ? undefined : typeOf(parsed.value);
  if (parsed === undefined || type === undefined) return [];
  const message = text(step.response.message);
  const strict = message.includes('strict decoding error');
  const expected = strict ? undefined : / cannot be handled as an? \w+: (.*)$/s.exec(message)?.[1];
  const result = decode(parsed.value, type, parsed.facts);
  if (typeof result === 'string' || expected !== undefined) {
    return result === expected ? [] : [`${step.name}: ${String(result)} instead of ${expected ?? message}`];
  }
  if (step.status >= 300 && !strict) return [];
  const said = strict ? [message] : step.warnings.map((warning) => warning.replaceAll('\\"', '"'));
  const fields = said.flatMap((line) => [...line.matchAll(unknownField)].map((match) => match[1]));
  return fields.join() === result.join() ? [] : [`${step.name}: ${result.join()} instead of ${fields.join()}`];
}

function parse(body: unknown) {
  try {
    return parseJsonStrict(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    // Malformed documents are tested with the parser.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function typeOf(value: unknown): Type | undefined {
  if (!isRecord(value) || typeof value.apiVersion !== 'string' || value.apiVersion.split('/').length > 2)
    return undefined;
  return builtinType(gvkOf(value));
}

function decode(value: unknown, type: Type, facts: DocumentFacts | undefined): string | string[] {
  try {
    return decodeObject(value, type, { facts }).unknownFields;
  } catch (error) {
    return errorMessage(error);
  }
}

describe('strategic merge patches of built-in kinds', () => {
  it('have the results of kube-apiserver', async function () {
    const scenarios = (
      await Promise.all(['patch', 'kinds-update'].map((area) => recordedScenarios(this, area)))
    ).flat();
    const outcomes = scenarios.flatMap(patchOutcomes);
    assert.deepEqual(
      outcomes.filter((outcome) => outcome !== 'same'),
      [],
    );
    assert.ok(outcomes.length > 30);
  });
});

/** Replays a scenario about one object: each patch is applied to the last recorded state. */
function patchOutcomes(steps: readonly RecordedStep[]): string[] {
  const outcomes: string[] = [];
  let state: Plain | undefined;
  for (const step of steps) {
    const { response } = step;
    const isObject = step.status < 300 && isRecord(response.metadata) && text(response.metadata.name) !== '';
    if (step.contentType.includes('strategic') && state !== undefined && isRecord(step.body)) {
      const outcome = patched(state, step.body as JsonObject);
      const conclusive = step.status < 300 ? response.kind === state.kind : typeof outcome === 'string';
      if (conclusive) outcomes.push(sameOutcome(outcome, step) ? 'same' : `${step.name}: ${JSON.stringify(outcome)}`);
    }
    if (isObject && response.kind !== 'Status') state = response;
  }
  return outcomes;
}

function patched(state: Plain, patch: JsonObject): Plain | string {
  const gvk = gvkOf(state);
  const type = builtinType(gvk);
  assert.ok(type);
  try {
    const { object } = decodeObject(applyStrategicMergePatch(state as JsonObject, patch, type), type);
    defaulterFor(gvk)?.(object as KubeObject);
    return canonicalize(object, type);
  } catch (error) {
    if (error instanceof StrategicMergePatchError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const told = (object: Plain): string =>
  stringifyJson([object.spec, object.data, record(object.metadata).labels, record(object.metadata).finalizers]);

function sameOutcome(outcome: Plain | string, step: RecordedStep): boolean {
  if (typeof outcome === 'string') return outcome === `${step.status} ${text(step.response.message)}`;
  const type = builtinType(gvkOf(outcome));
  return type !== undefined && told(outcome) === told(canonicalize(step.response, type));
}
