import { stageResults } from '@apichain/cel';
import { isRecord, record, text } from '@apichain/meta';
import type { PodEvent } from '../pods/events.ts';
import { Fields } from './fields.ts';
import { compileAt, jsonAt, type Scope } from './scope.ts';
import { StageError } from './stage-error.ts';

/** A patch to send. */
export interface Patch {
  readonly type: 'json' | 'merge' | 'strategic' | undefined;
  readonly subresource: string | undefined;
  readonly body: unknown;
  /** The user who sends it. */
  readonly username: string | undefined;
}

/** One thing that a stage does. The functions throw StageError when an expression cannot be evaluated. */
export type Action =
  | { readonly does: 'events'; readonly events: (scope: Scope) => readonly PodEvent[] }
  | { readonly does: 'patch'; readonly patch: (scope: Scope) => Patch }
  | { readonly does: 'delete' }
  | {
      readonly does: 'finalizers';
      readonly add: readonly string[];
      readonly remove: readonly string[];
      readonly empty: boolean;
    };

/** The actions of `next`, in kwok's order. Throws StageError. */
export function compileNext(value: unknown, path: string): Action[] {
  const fields = new Fields(value, path, ['event', 'finalizers', 'delete', 'patches']);
  return [...commonActions(fields), ...fields.parts('patches', compilePatch)];
}

/** The action of a step. Throws StageError. */
export function compileStep(value: unknown, path: string): Action {
  const fields = new Fields(value, path, ['event', 'eventsFrom', 'finalizers', 'delete', 'patch']);
  const actions = [
    ...commonActions(fields),
    fields.part('eventsFrom', compileEvents),
    fields.part('patch', compilePatch),
  ].filter((action) => action !== undefined);
  const [action] = actions;
  if (action === undefined || actions.length > 1)
    throw new StageError(path, 'must have exactly one of event, eventsFrom, finalizers, delete, patch');
  return action;
}

function commonActions(fields: Fields): Action[] {
  const remove: Action = { does: 'delete' };
  return [
    fields.part('event', compileEvent),
    fields.part('finalizers', compileFinalizers),
    fields.flag('delete') ? remove : undefined,
  ].filter((action) => action !== undefined);
}

const expressionIn = (fields: Fields, name: string): { source: string; at: string } | undefined =>
  fields.part(name, (part, path) => {
    const cel = new Fields(part, path, ['expression']);
    return { source: cel.requiredText('expression'), at: cel.path('expression') };
  });

function compileEvent(value: unknown, path: string): Action {
  const fields = new Fields(value, path, ['type', 'reason', 'message', 'messageFrom']);
  const type = fields.word('type', ['Normal', 'Warning']) ?? 'Normal';
  const reason = fields.requiredText('reason');
  const message = fields.text('message') ?? '';
  const from = fields.part('messageFrom', (part, at) => expressionIn(new Fields(part, at, ['cel']), 'cel'));
  if (from === undefined) return { does: 'events', events: () => [{ type, reason, message }] };
  const evaluate = compileAt(from.source, from.at, stageResults.text);
  return {
    does: 'events',
    events: (scope) => [{ type, reason, message: String(jsonAt(evaluate(scope), from.at)) }],
  };
}

function compileEvents(value: unknown, path: string): Action {
  const from = expressionIn(new Fields(value, path, ['cel']), 'cel');
  if (from === undefined) throw new StageError(`${path}.cel`, 'is required');
  const evaluate = compileAt(from.source, from.at, stageResults.patch);
  return {
    does: 'events',
    events: (scope) => {
      const events = jsonAt(evaluate(scope), from.at);
      if (!Array.isArray(events)) throw new StageError(from.at, 'must evaluate to a list of events');
      return events.map((event) => eventOf(record(event)));
    },
  };
}

const eventOf = ({ type, reason, message, fieldPath }: Record<string, unknown>): PodEvent => ({
  type: type === 'Warning' ? 'Warning' : 'Normal',
  reason: text(reason),
  message: text(message),
  ...(typeof fieldPath === 'string' ? { fieldPath } : {}),
});

function compileFinalizers(value: unknown, path: string): Action {
  const fields = new Fields(value, path, ['add', 'remove', 'empty']);
  const read = (item: unknown, at: string) => new Fields(item, at, ['value']).requiredText('value');
  return {
    does: 'finalizers',
    add: fields.parts('add', read),
    remove: fields.parts('remove', read),
    empty: fields.flag('empty'),
  };
}

function compilePatch(value: unknown, path: string): Action {
  const fields = new Fields(value, path, ['subresource', 'root', 'type', 'cel', 'impersonation']);
  const type = fields.word('type', ['json', 'merge', 'strategic']);
  const root = fields.text('root') ?? '';
  const subresource = fields.text('subresource');
  const username = fields.part('impersonation', (part, at) =>
    new Fields(part, at, ['username']).requiredText('username'),
  );
  const from = expressionIn(fields, 'cel');
  if (from === undefined) throw new StageError(fields.path('cel'), 'is required');
  if (type === 'json' && root !== '') throw new StageError(fields.path('root'), 'must not be given for a JSON patch');
  const evaluate = compileAt(from.source, from.at, stageResults.patch);
  return {
    does: 'patch',
    patch: (scope) => {
      const body = jsonAt(evaluate(scope), from.at);
      if (type === 'json' ? !Array.isArray(body) : !isRecord(body))
        throw new StageError(from.at, `must evaluate to a ${type === 'json' ? 'list' : 'map'}`);
      return { type, subresource, username, body: root === '' ? body : { [root]: body } };
    },
  };
}
