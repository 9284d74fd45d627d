import { field, isSet, type FieldError } from '@apichain/meta';
import type { JsonSchemaProps } from '@apichain/schema';
import type { DeclType } from '../types.ts';

const mostPerExpression = 10_000_000;
const mostPerSchema = 100_000_000;
const mostNamed = 4;
const requestBytes = 3 * 1024 * 1024;
const unbounded = 2 ** 64;

const multiply = (a: number, b: number): number => (a === 0 ? 0 : Math.min(unbounded, a * b));

/** The most members of a value of the schema; undefined if the schema does not limit them. */
export function mostElements(schema: JsonSchemaProps): number | undefined {
  if (schema.type === 'array') return atLeast0(schema.maxItems);
  if (schema.type === 'object' && isSet(schema.additionalProperties)) return atLeast0(schema.maxProperties);
  return 1;
}

const atLeast0 = (value: number | null | undefined): number | undefined =>
  value === undefined || value === null ? undefined : Math.max(0, value);

/** The product of two counts, either of which may be unknown. */
export const multiplied = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : multiply(a, b);

/** The most values of this declaration that one request can contain. */
export const mostPerRequest = (decl: DeclType): number => Math.floor(requestBytes / (decl.minSize + 1));

function exceeds(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return (
    `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength ` +
    'where arrays, maps, and strings are declared)'
  );
}

/** Compares the estimated costs of the rules of one schema with the limits of one expression and of the whole schema. */
export class RuleCosts {
  readonly #unchanged: boolean;
  #total = 0;
  readonly #expensive: { readonly path: string; readonly cost: number }[] = [];

  /** `unchanged` = the cost of single expressions is not limited. */
  constructor(unchanged: boolean) {
    this.#unchanged = unchanged;
  }

  /** Adds a rule that is evaluated up to `cardinality` times. */
  rule(path: string, cost: number, cardinality: number): FieldError[] {
    return this.#observe(path, 'estimated rule cost', multiply(cost, cardinality));
  }

  message(path: string, cost: number): FieldError[] {
    return this.#observe(path, 'estimated messageExpression cost', cost);
  }

  #observe(path: string, what: string, cost: number): FieldError[] {
    this.#total = Math.min(unbounded, this.#total + cost);
    if (cost >= mostPerSchema / 100) this.#expensive.push({ path, cost });
    if (this.#unchanged || cost <= mostPerExpression) return [];
    return [field.forbidden(path, exceeds(what, cost, mostPerExpression))];
  }

  /** If the total cost exceeds its limit: errors for the most expensive expressions and for the schema itself. */
  totalErrors(path: string): FieldError[] {
    if (this.#total <= mostPerSchema) return [];
    const named = this.#expensive.sort((a, b) => b.cost - a.cost).slice(0, mostNamed);
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...named.map((expression) =>
        field.forbidden(
          expression.path,
          'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        ),
      ),
      field.forbidden(path, exceeds(what, this.#total, mostPerSchema)),
    ];
  }
}
