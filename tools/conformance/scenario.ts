import { isRecord } from '@apichain/meta';

/** The areas of the API that scenarios belong to, in the order of the report. */
export const areas = [
  'discovery',
  'reads',
  'watches',
  'writes',
  'patches',
  'apply',
  'crds',
  'custom-resources',
  'admission',
  'rbac',
  'errors',
  'kinds',
] as const;
export type Area = (typeof areas)[number];

/** The values that steps saved, by name, and the variables of the run (see `runVariables` in run-scenario.ts). */
export type Variables = Readonly<Record<string, unknown>>;

/**
 * One request, and how its response is compared. Every string may contain `{{NAME}}`: a variable of the run (`run`, `ns`, `webhook`,
 * `webhookCa`) or a value that an earlier step saved. A string that is only `{{NAME}}` becomes the saved value with its type.
 */
export interface Step {
  /** Unique within its scenario. The report and the known differences identify steps by this name. */
  readonly name: string;
  /** RECEIVED sends no request: its result is what the webhook at `path` has received from the server since the start of the scenario. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'RECEIVED';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Headers in addition to `accept: application/json` and the content type that follows from the method (PATCH: merge patch). */
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, any other value as JSON. A function creates the body from saved values. */
  readonly body?: unknown;
  /** `user` is an impersonated user without rights: `conformance-RUN-user`. Default: admin. */
  readonly as?: 'admin' | 'user' | 'anonymous';
  /** Variables to save, each from a path in the response body such as `metadata.uid` or `items.0.kind`; '' is the whole body. */
  readonly save?: Readonly<Record<string, string>>;
  /** Repeats the request until the response matches, for at most ten seconds. The last response is compared. */
  readonly until?: { readonly status?: number; readonly path?: string; readonly equals?: unknown };
  /** Opens a watch, runs the steps of `during` when the watch is open, and ends after this number of events or after three seconds. */
  readonly watch?: { readonly events: number; readonly during?: readonly Step[] };
  /** Reduces a response to the parts that do not depend on other users of the cluster. */
  readonly select?: (body: unknown) => unknown;
}

export interface Scenario {
  readonly area: Area;
  /** Unique among all scenarios. */
  readonly name: string;
  /** False means that no namespace is created for the scenario. Otherwise its name is `{{ns}}`. */
  readonly namespaced?: boolean;
  readonly steps: readonly Step[];
}

/** Creates the body of a step from saved values. */
export type BodyOf = (variables: Variables) => unknown;

/** The value at a path of members and indexes, separated by dots. Undefined if there is none. '' returns the value itself. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  return path.split('.').reduce<unknown>((node, member) => {
    if (Array.isArray(node)) return node[Number(member)];
    return isRecord(node) ? node[member] : undefined;
  }, value);
}

/**
 * Replaces variables in every string of a value, including the names of members. Throws Error for a variable that does not exist, that is,
 * one that no step saves.
 */
export function substitute(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return substituteText(value, variables);
  if (Array.isArray(value)) return value.map((item) => substitute(item, variables));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [inText(name, variables), substitute(item, variables)]),
  );
}

/** As `substitute`, for a value that must be a string. */
export function inText(text: string, variables: Variables): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    const value = variableOf(name, variables);
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function substituteText(text: string, variables: Variables): unknown {
  const only = /^\{\{(\w+)\}\}$/.exec(text)?.[1];
  return only === undefined ? inText(text, variables) : variableOf(only, variables);
}

function variableOf(name: string, variables: Variables): unknown {
  if (!Object.hasOwn(variables, name)) throw new Error(`no step saves {{${name}}}`);
  return variables[name];
}
