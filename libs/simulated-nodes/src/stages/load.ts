import { errorMessage, parseYaml } from '@apichain/meta';
import { errorText, type Logger } from '../log.ts';
import { type CompiledStage, compileStage } from './compile.ts';
import type { Stage } from './stage.ts';

/** Compiles stages. One that does not compile is left out, with a line in the log. */
export function compileStages(given: readonly unknown[], log: Logger): CompiledStage[] {
  const byName = new Map<string, CompiledStage>();
  for (const [index, stage] of given.entries()) {
    try {
      const compiled = compileStage(stage);
      if (byName.has(compiled.name)) throw new Error('metadata.name: another stage has this name');
      byName.set(compiled.name, compiled);
    } catch (error) {
      log.error(`stage ${nameOf(stage) ?? `${index + 1}`}: ${errorText(error)}`);
    }
  }
  return [...byName.values()];
}

/** The default stages that none of the given ones replaces, and the given ones. */
export function withDefaults(given: readonly CompiledStage[], defaults: readonly Stage[]): CompiledStage[] {
  const names = new Set(given.map(({ name }) => name));
  return [
    ...defaults.filter(({ metadata }) => !names.has(metadata.name)).map((stage) => compileStage(stage)),
    ...given,
  ];
}

const nameOf = (stage: unknown): string | undefined =>
  (stage as { metadata?: { name?: string } } | null)?.metadata?.name;

/** The documents of a YAML text, which are stages or lists of stages. Throws Error, with `source` and the number of the document, for what is not YAML. */
export function readStages(text: string, source: string): unknown[] {
  return text.split(/^---(?=\s|$)/m).flatMap((document, index): unknown[] => {
    let value: unknown;
    try {
      value = parseYaml(document);
    } catch (error) {
      throw new Error(`${source}: document ${index + 1}: ${errorMessage(error)}`);
    }
    if (value === null || value === undefined) return [];
    const { items } = value as { items?: unknown };
    return Array.isArray(items) ? items : [value];
  });
}
