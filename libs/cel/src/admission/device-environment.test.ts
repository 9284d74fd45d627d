import assert from 'node:assert/strict';
import { deviceEnvironment, deviceSelectorResult } from './device-environment.ts';
import { compileExpression } from './environment.ts';

function costOf(expression: string): number | undefined {
  const compiled = compileExpression(expression, deviceEnvironment, deviceSelectorResult);
  assert.ok(!('error' in compiled), expression);
  return compiled.cost;
}

describe('deviceEnvironment', () => {
  const ten = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]';
  const expensive = (depth: number): string =>
    depth === 0 ? "int('1'.find('[0-9]*')) < 100" : `${ten}.all(x${String(depth)}, ${expensive(depth - 1)})`;
  /** The costs that kube-apiserver computes. */
  const costs: readonly (readonly [string, number])[] = [
    ['true', 0],
    ['device.attributes["no-such-domain"].noSuchAttr.isGreaterThan(quantity("0"))', 6],
    ['device.attributes["no-such-domain"]["noSuchAttr"].isGreaterThan(quantity("0"))', 6],
    ['"no-such-domain" in device.attributes', 3],
    ['device.driver == ""', 2],
    ['device.driver == "dra.example.com"', 4],
    ['device.attributes["dra.example.com"].name', 4],
    ['device.attributes["dra.example.com"]["name"]', 4],
    ['cel.bind(dra, device.attributes["dra.example.com"], dra.name)', 15],
    ['device.attributes["dra.example.com"].name > 0', 5],
    ['device.attributes["dra.example.com"].name == "fish"', 5],
    ['device.attributes["dra.example.com"].name.exists(x, x > 0)', 5 + 6 * 64],
    ['device.attributes["dra.example.com"].names.size() == 2', 6],
    ['device.attributes["dra.example.com"].names.all(x, x != "")', 5 + 4 * 64],
    ['device.attributes["dra.example.com"].names.all(x, x.isGreaterThan(semver("0.0.1")))', 5 + 6 * 64],
    ['1 in device.attributes["dra.example.com"].names', 4 + 64],
    ['device.capacity["dra.example.com"].name.isGreaterThan(quantity("1Ki"))', 6],
    [
      '!("name" in device.capacity["dra.example.com"]) || device.capacity["dra.example.com"].name.isGreaterThan(quantity("1Ki"))',
      11,
    ],
    ['device.attributes.exists_one(x, x == "dra.example.com")', 164],
    ['device.attributes["dra.example.com"].exists_one(x, x == "services")', 133],
    ['device.attributes["dra.example.com"].services.split("example").size() >= 2', 19],
    ['device.attributes["dra.example.com"].services.matches("[^a]?sym")', 18],
    ['device.capacity.exists_one(x, x == "dra.example.com")', 164],
    [expensive(7), 85_555_551],
    ['device.allowMultipleAllocations == true', 3],
  ];
  for (const [expression, cost] of costs)
    it(`estimates the cost of ${expression.slice(0, 60)}`, () => {
      assert.equal(costOf(expression), cost);
    });

  it('binds variables', () => {
    const errorOf = (expression: string) => {
      const compiled = compileExpression(expression, deviceEnvironment, deviceSelectorResult);
      return 'error' in compiled ? compiled.error : undefined;
    };
    assert.equal(errorOf('cel.bind(d, device.driver, d == "a" || d == "b")'), undefined);
    assert.match(
      errorOf('cel.bind("d", device.driver, true)') ?? '',
      /cel\.bind\(\) variable names must be simple identifiers/,
    );
    assert.match(
      errorOf('cel.bind(d, device.driver, d)') ?? '',
      /must evaluate to bool or the unknown type, not string/,
    );
  });
});
