import {
  field,
  isStatusError,
  receiveDocumentAtOnce,
  sendDocumentAtOnce,
  type ListedFacts,
  type SentDocument,
} from '@apichain/meta';
import {
  findNonStructural,
  objectMetaRules,
  validateCrd,
  validateCrdUpdate,
  type CrdValidationContext,
  type CustomResourceDefinition,
} from '@apichain/schema';
import { celRules } from '../rules/evaluator.ts';
import { timedRules } from '../rules/timed-rules.ts';
import { headPart, requestOf, typeOfText, type DefinitionResult, type DefinitionRequest } from './messages.ts';

type ValidationRequest = Extract<DefinitionRequest, { check: 'validity' }>;

/**
 * Checks a definition in another thread than the one that serves requests: what `validateCrdRemotely` and `findNonStructuralRemotely` call. The
 * parts are a request, the definition, and the stored definition of an update.
 */
export function checkDefinition(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const [head, json, oldJson] = parts;
  const request = requestOf(head);
  const crd = read(json, request.facts);
  if (request.check === 'structure') return onlyHead({ kind: 'structure', found: findNonStructural(crd) });
  const old = request.oldFacts === undefined ? undefined : read(oldJson, request.oldFacts);
  try {
    return validity(crd, old, request);
  } catch (error) {
    if (isStatusError(error)) return onlyHead({ kind: 'status', status: error.status });
    throw error;
  }
}

function validity(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  { objectMeta, hasRules }: ValidationRequest,
): readonly Uint8Array[] {
  const [compiled, evaluated]: [number[], number[]] = [[], []];
  const timers = { compiled: (ms: number) => compiled.push(ms), evaluated: (ms: number) => evaluated.push(ms) };
  const context: CrdValidationContext = {
    metadata: objectMetaRules(typeOfText(objectMeta)),
    ...(hasRules ? { rules: timedRules(celRules, timers) } : {}),
  };
  const before = sendDocumentAtOnce(crd.spec);
  const all = old === undefined ? validateCrd(crd, context) : validateCrdUpdate(crd, old, context);
  const result = { kind: 'validity', errors: all.slice(0, field.maxErrors), compiled, evaluated } as const;
  const after = sendDocumentAtOnce(crd.spec);
  return isSame(before, after) ? onlyHead(result) : [headPart({ ...result, specFacts: after.facts }), after.json];
}

const isSame = (one: SentDocument, other: SentDocument): boolean =>
  Buffer.compare(one.json, other.json) === 0 && JSON.stringify(one.facts) === JSON.stringify(other.facts);

const onlyHead = (head: DefinitionResult): Uint8Array[] => [headPart(head)];

const read = (json: Uint8Array | undefined, facts: readonly ListedFacts[]): CustomResourceDefinition =>
  receiveDocumentAtOnce({ json: json ?? new Uint8Array(), facts }) as CustomResourceDefinition;
