import { random } from '@apichain/meta';
import type { CompiledStage } from './compile.ts';
import type { Scope } from './scope.ts';

/** Chooses one of the stages that select an object: by weight if any has one, otherwise all are equally likely. Throws StageError. */
export function chooseStage(matching: readonly CompiledStage[], scope: Scope): CompiledStage | undefined {
  const [only] = matching;
  if (matching.length < 2) return only;
  const weights = matching.map((stage) => stage.weight(scope));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return matching[Math.floor(random() * matching.length)];
  let left = random() * total;
  return matching.find((_stage, index) => (left -= weights[index] ?? 0) < 0) ?? matching.at(-1);
}
