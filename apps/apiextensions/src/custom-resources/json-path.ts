/** One step of a path: what it selects of a value. */
type Step = (value: unknown) => unknown[];

/** A path made ready; `find` answers everything it selects, in order. */
export interface JsonPath {
  find(root: unknown): unknown[];
}

/**
 * The part of JSONPath that CRDs use: `.a.b`, `['a.b']`, `\.` in names, `[0]`, `[-1]`, `[*]`, `.*`, `[?(@.type=="Ready")]`.
 * Missing keys select nothing. Throws Error on anything else. https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export function parseJsonPath(text: string): JsonPath {
  const steps: Step[] = [];
  let rest = text;
  while (rest !== '' && rest !== '.') {
    const [step, length] = nextStep(rest);
    steps.push(step);
    rest = rest.slice(length);
  }
  return {
    find: (root) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [root]),
  };
}

function nextStep(text: string): [Step, number] {
  const name = /^\.?((?:\\.|[^.[\]\\])+)/.exec(text);
  if (name?.[1] !== undefined && !text.startsWith('[')) {
    const key = name[1].replaceAll(/\\(.)/g, '$1');
    return [key === '*' ? members : member(key), name[0].length];
  }
  const bracket = /^\.?\[(\s*(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\?\(.*?\)|-?\d+|\*)\s*)\]/.exec(text);
  if (bracket?.[1] === undefined) throw new Error(`unrecognized part ${text} in a JSONPath`);
  return [bracketStep(bracket[1].trim()), bracket[0].length];
}

function bracketStep(inside: string): Step {
  if (inside === '*') return members;
  if (/^-?\d+$/.test(inside)) return element(Number(inside));
  if (inside.startsWith('?(')) return filter(inside.slice(2, -1));
  return member(inside.slice(1, -1).replaceAll(/\\(.)/g, '$1'));
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const member =
  (key: string): Step =>
  (value) =>
    isMap(value) && Object.hasOwn(value, key) ? [value[key]] : [];

const members: Step = (value) => {
  if (Array.isArray(value)) return value.map((item: unknown) => item);
  return isMap(value) ? Object.values(value) : [];
};

const element =
  (index: number): Step =>
  (value) => {
    const item: unknown = Array.isArray(value) ? value.at(index) : undefined;
    return item === undefined ? [] : [item];
  };

const comparisons: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => typeof a === typeof b && (a as number) < (b as number),
  '<=': (a, b) => typeof a === typeof b && (a as number) <= (b as number),
  '>': (a, b) => typeof a === typeof b && (a as number) > (b as number),
  '>=': (a, b) => typeof a === typeof b && (a as number) >= (b as number),
};

/** `@.a=="b"` or `@.a` alone (it exists). */
function filter(expression: string): Step {
  const parts = /^\s*@(.*?)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?)\s*)?$/.exec(expression);
  if (parts === null) throw new Error(`unrecognized filter ${expression} in a JSONPath`);
  const path = parseJsonPath(parts[1] ?? '');
  const compare = comparisons[parts[2] ?? ''];
  const right = parts[3] === undefined ? undefined : literal(parts[3]);
  return (value) => {
    if (!Array.isArray(value)) return [];
    return value
      .map((item: unknown) => item)
      .filter((item) => {
        const [left] = path.find(item);
        return compare === undefined ? left !== undefined : left !== undefined && compare(left, right);
      });
  };
}

function literal(text: string): unknown {
  if (/^'.*'$|^".*"$/s.test(text)) return text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new Error(`unrecognized value ${text} in a JSONPath`);
}
