import type { FieldError, KubeObject } from '@apichain/meta';
import type { ValidationContext } from '../kind-validation.ts';
import * as objectMeta from '../object-meta.ts';
import { defaultCapabilities, type Capabilities } from '../pod/context.ts';
import { validationOf } from '../table.ts';
import { CompiledExpressions } from './compiled-expressions.ts';
import { lines, object } from './errors.fixture.ts';

const metadataChecks: ReadonlySet<unknown> = new Set(Object.values(objectMeta));

type Step<Old> = (object: KubeObject, old: Old, context: ValidationContext) => FieldError[];
type Checks<Old> = (object: KubeObject, old: Old, capabilities: Capabilities) => FieldError[];

/** The checks of a kind without those of metadata, in order; undefined where there are none. */
interface OwnChecks {
  readonly create?: Checks<undefined> | undefined;
  readonly update?: Checks<KubeObject> | undefined;
  readonly subresources?: Readonly<Record<string, Checks<KubeObject> | undefined>> | undefined;
}

function ownChecks<Old>(steps: readonly Step<Old>[]): Checks<Old> | undefined {
  const own = steps.filter((step) => !metadataChecks.has(step));
  if (own.length === 0) return undefined;
  return (object, old, capabilities) => {
    const compiled = new CompiledExpressions();
    const context = { ...capabilities, namespaced: true, nameRule: () => () => [], compiled };
    return own.flatMap((step) => step(object, old, context));
  };
}

/** The checks of a resource (`pods` or `deployments.apps`) without those of metadata. */
export function validationFor(key: string): OwnChecks {
  const [resource = '', ...group] = key.split('.');
  const { create, update, subresources = {} } = validationOf(group.join('.'), resource);
  return {
    create: ownChecks(create),
    update: ownChecks(update),
    subresources: Object.fromEntries(Object.entries(subresources).map(([name, steps]) => [name, ownChecks(steps)])),
  };
}

/** The errors of a new object of a resource, one line each, without those of metadata. */
export const created = (resource: string, rest: Record<string, unknown>, name = 'x'): string[] =>
  lines(validationFor(resource).create?.(object('Kind', name, rest), undefined, defaultCapabilities) ?? []);

/** The same for an update. */
export function updated(resource: string, rest: Record<string, unknown>, old: Record<string, unknown>): string[] {
  const objects = [object('Kind', 'x', rest), object('Kind', 'x', old)] as const;
  return lines(validationFor(resource).update?.(...objects, defaultCapabilities) ?? []);
}
