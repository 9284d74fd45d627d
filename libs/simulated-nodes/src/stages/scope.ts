import {
  type CompiledExpression,
  compileExpression,
  Duration,
  jsonOf,
  stageEnvironment,
  Timestamp,
} from '@apichain/cel';
import type { CelType, Value } from '@apichain/cel';
import { parseDurationMs } from '@apichain/go-text';
import type { KubeObject } from '@apichain/meta';
import { oneLine } from '../log.ts';
import { StageError } from './stage-error.ts';

/** What the expressions of stages see: one object at one moment. */
export interface Scope {
  readonly object: KubeObject;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly variables: ReadonlyMap<string, Value>;
}

/** A compiled expression. Throws StageError when it cannot be evaluated. */
export type Evaluate = (scope: Scope) => Value;

/** The cost limit of an expression in admission policies. */
const costLimit = 10_000_000;

/** Compiles an expression at a path of a stage. Throws StageError. */
export function compileAt(source: string, path: string, accepts: (type: CelType) => string | undefined): Evaluate {
  const compiled: CompiledExpression = compileExpression(source, stageEnvironment, accepts);
  if ('error' in compiled) throw new StageError(path, oneLine(compiled.error));
  return ({ variables }) => {
    const { value, error } = compiled.program(variables, costLimit);
    if (error !== undefined) throw new StageError(path, error.message);
    return value ?? null;
  };
}

/** Whether an expression failed because a member of the object does not exist. */
export const isMissingMember = (error: StageError): boolean => error.reason.startsWith('no such key');

/** A value as JSON. Throws StageError if it has none. */
export function jsonAt(value: Value, path: string): unknown {
  try {
    return jsonOf(value);
  } catch (error) {
    throw new StageError(path, (error as Error).message);
  }
}

/** When a delay that begins at `since` is over, and whether that is a fixed time. Throws StageError for a value that is none. */
export function dueOf(value: Value, since: number, path: string): { readonly due: number; readonly isFixed: boolean } {
  if (value instanceof Timestamp) return { due: Number(value.ns) / 1e6, isFixed: true };
  return { due: since + milliseconds(value, path), isFixed: false };
}

function milliseconds(value: Value, path: string): number {
  if (value instanceof Duration) return Number(value.ns) / 1e6;
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
  if (typeof value === 'string')
    try {
      return parseDurationMs(value);
    } catch (error) {
      throw new StageError(path, (error as Error).message);
    }
  throw new StageError(path, 'is not a duration, a timestamp or a number');
}
