import { pause, receiveDocument, sendDocument, StatusError, type FieldError, type SentDocument } from '@apichain/meta';
import type { CustomResourceDefinition, NonStructural } from '@apichain/schema';
import type { Type } from '@apichain/scheme';
import type { RuleTimers } from '../rules/timed-rules.ts';
import { resultOf, headPart, textOfType, type DefinitionResult, type DefinitionRequest } from './messages.ts';

/**
 * Runs `checkDefinition` in another thread, with the parts that `prepare` makes, and resolves to its result. `prepare` is called once, when the
 * work is about to begin.
 */
export type RunDefinitionWork = (prepare: () => Promise<readonly Uint8Array[]>) => Promise<readonly Uint8Array[]>;

/** What the validation in another thread needs. */
export interface RemoteValidation {
  /** The built-in Type `meta.v1.ObjectMeta`. */
  readonly objectMeta: Type;
  /** Receive how long rules took in the other thread. Undefined = rules are not checked. */
  readonly rules?: RuleTimers;
}

/**
 * The first errors of `validateCrd`, or of `validateCrdUpdate` if there is a stored definition. As there, defaults of the definition lose unknown
 * metadata. Only encoding and reading, in slices, remain in this thread.
 */
export async function validateCrdRemotely(
  run: RunDefinitionWork,
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  { objectMeta, rules }: RemoteValidation,
): Promise<readonly FieldError[]> {
  const [head, spec] = await run(async () => {
    const sent = await sendDocument(crd);
    await pause();
    const stored = old === undefined ? undefined : await sendDocument(old);
    return parts(
      {
        ...{ check: 'validity', facts: sent.facts, oldFacts: stored?.facts },
        ...{ objectMeta: textOfType(objectMeta), hasRules: rules !== undefined },
      },
      sent,
      stored,
    );
  });
  const result = checked(head, 'validity');
  for (const ms of result.compiled) rules?.compiled(ms);
  for (const ms of result.evaluated) rules?.evaluated(ms);
  if (result.specFacts !== undefined && spec !== undefined)
    crd.spec = (await receiveDocument({ json: spec, facts: result.specFacts })) as CustomResourceDefinition['spec'];
  return result.errors;
}

/** The result of `findNonStructural`. */
export async function findNonStructuralRemotely(
  run: RunDefinitionWork,
  crd: CustomResourceDefinition,
): Promise<NonStructural> {
  const [head] = await run(async () => {
    const sent = await sendDocument(crd);
    return parts({ check: 'structure', facts: sent.facts }, sent, undefined);
  });
  return checked(head, 'structure').found;
}

async function parts(
  request: DefinitionRequest,
  crd: SentDocument,
  old: SentDocument | undefined,
): Promise<readonly Uint8Array[]> {
  // A thread may have to be started, which takes as long as a step.
  await pause();
  return [headPart(request), crd.json, ...(old === undefined ? [] : [old.json])];
}

function checked<Kind extends DefinitionResult['kind']>(
  head: Uint8Array | undefined,
  kind: Kind,
): Extract<DefinitionResult, { kind: Kind }> {
  const result = resultOf(head);
  if (result.kind === 'status') throw new StatusError(result.status);
  if (result.kind !== kind) throw new Error(`a check of ${kind} has returned ${result.kind}`);
  return result as Extract<DefinitionResult, { kind: Kind }>;
}
