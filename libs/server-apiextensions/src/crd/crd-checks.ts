import { runInWorker, type RunInWorker } from '@apichain/apiserver';
import { findNonStructuralRemotely, validateCrdRemotely, type RemoteValidation } from '@apichain/cel';
import { hasAtMost, isSet, type FieldError } from '@apichain/meta';
import { currentWorkers, type Workers } from '@apichain/request';
import {
  findNonStructural,
  someSchema,
  validateCrd,
  validateCrdUpdate,
  type CrdValidationContext,
  type CustomResourceDefinition,
  type JsonSchemaProps,
  type NonStructural,
} from '@apichain/schema';

/**
 * Definitions, with the stored one of an update, that have more members, or more text in their patterns and rules, are checked in a worker thread.
 * In this thread that many members take up to 16 ms, and twice that much text up to 105 ms.
 */
const maxMembers = 3_000;
const maxExpressionText = 4_096;

/** About the most bytes that a definition may have. */
const largeDocument = 1.5 * 1024 * 1024;

/** The checks of definitions: of small ones in this thread, at once; of large ones in a worker thread of the server. */
export class CrdChecks {
  readonly #context: CrdValidationContext;
  readonly #remote: RemoteValidation;

  /** `remote`: the same context for another thread. */
  constructor(context: CrdValidationContext, remote: RemoteValidation) {
    this.#context = context;
    this.#remote = remote;
  }

  /** The errors of a definition that is written, or the first of them, except those of its metadata. `old`: the stored definition of an update. */
  validate(
    crd: CustomResourceDefinition,
    old?: CustomResourceDefinition,
  ): readonly FieldError[] | Promise<readonly FieldError[]> {
    const run = runnerOf([crd, old], currentWorkers());
    if (run !== undefined) return validateCrdRemotely(run, crd, old, this.#remote);
    return old === undefined ? validateCrd(crd, this.#context) : validateCrdUpdate(crd, old, this.#context);
  }
}

/** Why the schemas of a stored definition are not structural. */
export function checkStructure(
  crd: CustomResourceDefinition,
  workers: Workers | undefined,
): NonStructural | Promise<NonStructural> {
  const run = runnerOf([crd], workers);
  return run === undefined ? findNonStructural(crd) : findNonStructuralRemotely(run, crd);
}

/** Undefined if the definitions are small or there are no threads. */
function runnerOf(
  definitions: readonly (CustomResourceDefinition | undefined)[],
  workers: Workers | undefined,
): RunInWorker | undefined {
  if (workers === undefined) return undefined;
  if (hasAtMost(definitions, maxMembers) && !hasLongExpressions(definitions)) return undefined;
  return runInWorker(workers, 'checkDefinition', definitions.length * largeDocument);
}

/** Whether patterns and rules have much text, or rules may be evaluated: they are for defaults, which may cost as much as for objects. */
function hasLongExpressions(definitions: readonly (CustomResourceDefinition | undefined)[]): boolean {
  let [text, hasRules, hasDefaults] = [0, false, false];
  for (const schema of definitions.flatMap(schemasOf))
    someSchema(schema, ({ pattern, default: value, 'x-kubernetes-validations': rules }) => {
      text += pattern?.length ?? 0;
      for (const { rule, messageExpression } of rules ?? []) text += rule.length + (messageExpression?.length ?? 0);
      hasRules ||= (rules ?? []).length > 0;
      hasDefaults ||= isSet(value);
      return false;
    });
  return text > maxExpressionText || (hasRules && hasDefaults);
}

const schemasOf = (crd: CustomResourceDefinition | undefined): (JsonSchemaProps | undefined)[] =>
  (crd?.spec?.versions ?? []).map(({ schema }) => schema?.openAPIV3Schema);
