import { stageResults } from '@apichain/cel';
import type { Value } from '@apichain/cel';
import { random } from '@apichain/meta';
import { type Action, compileNext, compileStep } from './actions.ts';
import { Fields } from './fields.ts';
import { compileAt, dueOf, type Evaluate, type Scope } from './scope.ts';
import { compileSelector, type Matches } from './selector.ts';
import { StageError } from './stage-error.ts';

/** The kind that a stage is for. */
export interface StageKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A stage with its expressions compiled. The functions throw StageError when an expression cannot be evaluated. */
export interface CompiledStage extends StageKind {
  readonly name: string;
  readonly matches: Matches;
  readonly weight: (scope: Scope) => number;
  /** When the stage is reached by an object that it has selected since then, in milliseconds since the epoch. */
  readonly due: (scope: Scope, since: number) => { readonly due: number; readonly isFixed: boolean };
  readonly actions: readonly Action[];
  readonly isNextImmediate: boolean;
  readonly isRenewal: boolean;
}

const apiVersions = ['simulate.apichain.dev/v1alpha1', 'kwok.x-k8s.io/v1alpha1'] as const;

/** Compiles a stage. Throws StageError that says where it is wrong. */
export function compileStage(value: unknown): CompiledStage {
  const stage = new Fields(value, '', ['apiVersion', 'kind', 'metadata', 'spec', 'status']);
  stage.word('apiVersion', apiVersions);
  stage.word('kind', ['Stage']);
  const name = nameOf(value);
  const spec = stage.part('spec', (part, path) => new Fields(part, path, specFields));
  if (spec === undefined) throw new StageError('spec', 'is required');
  const ref = new Fields(
    spec.part('resourceRef', (part) => part),
    spec.path('resourceRef'),
    ['apiGroup', 'kind'],
  );
  return {
    name,
    apiVersion: ref.text('apiGroup') ?? 'v1',
    kind: ref.requiredText('kind'),
    matches: spec.part('selector', compileSelector) ?? (() => false),
    weight: compileWeight(spec),
    due: spec.part('delay', compileDelay) ?? ((_scope, since) => ({ due: since, isFixed: false })),
    actions: [...(spec.part('next', compileNext) ?? []), ...spec.parts('steps', compileStep)],
    isNextImmediate: spec.flag('immediateNextStage'),
    isRenewal: spec.flag('renewal'),
  };
}

const specFields = [
  'resourceRef',
  'selector',
  'weight',
  'weightFrom',
  'delay',
  'next',
  'steps',
  'immediateNextStage',
  'renewal',
];

function nameOf(value: unknown): string {
  const { metadata } = value as { metadata?: { name?: unknown } };
  if (typeof metadata?.name === 'string' && metadata.name !== '') return metadata.name;
  throw new StageError('metadata.name', 'is required');
}

function expressionOf(fields: Fields, name: string, accepts: Parameters<typeof compileAt>[2]): Evaluate | undefined {
  return fields.part(name, (part, path) => {
    const cel = new Fields(
      new Fields(part, path, ['cel']).part('cel', (inner) => inner),
      `${path}.cel`,
      ['expression'],
    );
    return compileAt(cel.requiredText('expression'), cel.path('expression'), accepts);
  });
}

function compileWeight(spec: Fields): CompiledStage['weight'] {
  const weight = spec.amount('weight') ?? 0;
  const from = expressionOf(spec, 'weightFrom', stageResults.weight);
  if (from === undefined) return () => weight;
  const path = spec.path('weightFrom');
  return (scope) => {
    const value = Number(numberOf(from(scope)));
    if (value >= 0) return value;
    throw new StageError(path, 'must evaluate to a number, and not a negative one');
  };
}

const numberOf = (value: Value): unknown =>
  typeof value === 'bigint' || typeof value === 'number' || typeof value === 'string' ? value : undefined;

function compileDelay(value: unknown, path: string): CompiledStage['due'] {
  const fields = new Fields(value, path, [
    'durationMilliseconds',
    'durationFrom',
    'jitterDurationMilliseconds',
    'jitterDurationFrom',
  ]);
  const least = compileDue(fields, 'durationMilliseconds', 'durationFrom');
  const most = compileDue(fields, 'jitterDurationMilliseconds', 'jitterDurationFrom');
  if (most === undefined) return least ?? ((_scope, since) => ({ due: since, isFixed: false }));
  return (scope, since) => {
    const from = least?.(scope, since) ?? { due: since, isFixed: false };
    const to = most(scope, since);
    // As in kwok, a jitter duration that is shorter than the duration replaces it.
    return to.due <= from.due ? to : { due: from.due + random() * (to.due - from.due), isFixed: false };
  };
}

function compileDue(fields: Fields, fixed: string, from: string): CompiledStage['due'] | undefined {
  const evaluate = expressionOf(fields, from, stageResults.duration);
  if (evaluate !== undefined) return (scope, since) => dueOf(evaluate(scope), since, fields.path(from));
  const milliseconds = fields.amount(fixed);
  return milliseconds === undefined ? undefined : (_scope, since) => ({ due: since + milliseconds, isFixed: false });
}
