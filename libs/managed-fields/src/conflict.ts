import { goQuote } from '@apichain/go-text';
import { compareText, newApplyConflict, type StatusError } from '@apichain/meta';
import { paths, type FieldSet } from './field-set.ts';
import { type Manager } from './managed.ts';
import { formatPath, type PathElement } from './path-element.ts';

/** A field that the applied configuration wants to change and another manager owns. */
export interface Conflict {
  readonly identity: string;
  readonly manager: Manager;
  readonly path: readonly PathElement[];
}

/** Thrown when an apply changes fields of other managers without `force`. */
export class ConflictsError extends Error {
  readonly conflicts: readonly Conflict[];
  constructor(conflicts: readonly Conflict[]) {
    super(conflictMessage(conflicts));
    this.conflicts = conflicts;
  }
}

export function conflictsOf(sets: ReadonlyMap<string, { manager: Manager; set: FieldSet }>): Conflict[] {
  return [...sets]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([identity, { manager, set }]) => paths(set).map((path) => ({ identity, manager, path })));
}

function formatManager(manager: Manager): string {
  const name = goQuote(manager.name);
  const subresource = manager.subresource === '' ? name : `${name} with subresource ${goQuote(manager.subresource)}`;
  return manager.applied ? subresource : `${subresource} using ${manager.apiVersion}`;
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${formatManager(first.manager)}: ${formatPath(first.path)}`;
  }
  const lines: string[] = [];
  let identity: string | undefined;
  for (const conflict of conflicts) {
    if (conflict.identity !== identity) lines.push(`conflicts with ${formatManager(conflict.manager)}:`);
    identity = conflict.identity;
    lines.push(`- ${formatPath(conflict.path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

/** The 409 for the client, with one cause per conflict. */
export function toApplyConflict(error: ConflictsError): StatusError {
  const causes = error.conflicts.map((conflict) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${formatManager(conflict.manager)}`,
    field: formatPath(conflict.path),
  }));
  return newApplyConflict(causes, error.message);
}
