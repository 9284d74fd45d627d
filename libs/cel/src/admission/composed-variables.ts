import type { Outcome } from '../interpreter.ts';
import { CostLimitError } from '../cost.ts';
import { EvaluationError, MapValue, type Value } from '../values.ts';

/** `variables` of a policy: each is evaluated once, on first use. */
export class ComposedVariables extends MapValue {
  readonly typeName = 'kubernetes.variables';
  readonly #evaluate: ReadonlyMap<string, () => Outcome>;
  readonly #known = new Map<string, Value | EvaluationError>();

  constructor(evaluate: ReadonlyMap<string, () => Outcome>) {
    super();
    this.#evaluate = evaluate;
  }
  get size(): number {
    return this.#evaluate.size;
  }
  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#known.get(key) ?? this.#compute(key);
    if (known instanceof EvaluationError) throw known;
    return known;
  }
  keys(): readonly Value[] {
    return [...this.#evaluate.keys()];
  }

  #compute(name: string): Value | EvaluationError | undefined {
    const evaluate = this.#evaluate.get(name);
    if (evaluate === undefined) return undefined;
    const { value, error } = evaluate();
    if (error instanceof CostLimitError) throw error;
    const result =
      error === undefined
        ? (value ?? null)
        : new EvaluationError(`composited variable "${name}" fails to evaluate: ${error.message}`);
    this.#known.set(name, result);
    return result;
  }
}
