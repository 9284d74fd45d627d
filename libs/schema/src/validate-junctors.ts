import { goQuote } from '@apichain/go-text';
import type { JsonSchemaProps } from './json-schema-props.ts';
import { composite, mergeOutcome, newOutcome, report, type Check, type Outcome } from './validation-outcome.ts';

/** Compiles allOf, anyOf, oneOf and not of a schema to one check; undefined if there are none. */
export function compileJunctors(schema: JsonSchemaProps, compile: (s: JsonSchemaProps) => Check): Check | undefined {
  const whenUsed = (nested: JsonSchemaProps): Check => {
    let made: Check | undefined;
    return (...value) => (made ??= compile(nested))(...value);
  };
  const anyOf = (schema.anyOf ?? []).map(whenUsed);
  const oneOf = (schema.oneOf ?? []).map(whenUsed);
  const allOf = (schema.allOf ?? []).map(whenUsed);
  const not = schema.not ? whenUsed(schema.not) : undefined;
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return undefined;
  return (value, name, out, correlation) => {
    const run = (check: Check) => {
      const result = newOutcome();
      check(value, name, result, correlation);
      return result;
    };
    if (anyOf.length > 0) checkAnyOf(anyOf, run, name, out);
    if (oneOf.length > 0) checkOneOf(oneOf.map(run), name, out);
    if (allOf.length > 0) checkAllOf(allOf.map(run), name, out);
    if (not !== undefined && isValid(run(not)))
      report(out, composite(`${quoted(name)} must not validate the schema (not)`));
  };
}

const isValid = (outcome: Outcome): boolean => outcome.failures.length === 0;
const quoted = goQuote;

function checkAnyOf(checks: readonly Check[], run: (check: Check) => Outcome, name: string, out: Outcome): void {
  let closest: Outcome | undefined;
  for (const check of checks) {
    const result = run(check);
    if (isValid(result)) {
      mergeOutcome(out, result);
      return;
    }
    if (closest === undefined || result.matches > closest.matches) closest = result;
  }
  report(out, composite(`${quoted(name)} must validate at least one schema (anyOf)`));
  if (closest !== undefined) mergeOutcome(out, closest);
}

function checkOneOf(results: readonly Outcome[], name: string, out: Outcome): void {
  const valid = results.filter(isValid);
  if (valid.length === 1 && valid[0] !== undefined) {
    mergeOutcome(out, valid[0]);
    return;
  }
  const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  report(out, composite(`${quoted(name)} must validate one and only one schema (oneOf). ${found}`));
  if (valid.length > 0) return;
  const [first, ...rest] = results;
  if (first !== undefined)
    mergeOutcome(
      out,
      rest.reduce((best, r) => (r.matches > best.matches ? r : best), first),
    );
}

function checkAllOf(results: readonly Outcome[], name: string, out: Outcome): void {
  for (const result of results) mergeOutcome(out, result);
  const valid = results.filter(isValid).length;
  if (valid < results.length)
    report(
      out,
      composite(`${quoted(name)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`),
    );
}
