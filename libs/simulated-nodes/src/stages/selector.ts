import { stageResults } from '@apichain/cel';
import { type KubeObject, isRecord } from '@apichain/meta';
import { Fields } from './fields.ts';
import { compileAt, isMissingMember, type Scope } from './scope.ts';
import { StageError } from './stage-error.ts';

/** Whether a stage is for an object. Throws StageError. */
export type Matches = (scope: Scope) => boolean;

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/** Compiles the selector of a stage. Throws StageError. */
export function compileSelector(value: unknown, path: string): Matches {
  const fields = new Fields(value, path, ['matchLabels', 'matchAnnotations', 'matchExpressions']);
  const all: Matches[] = [
    ...required(fields.map('matchLabels'), ({ metadata }) => metadata.labels),
    ...required(fields.map('matchAnnotations'), ({ metadata }) => metadata.annotations),
    ...fields.parts('matchExpressions', compileMatch),
  ];
  return (scope) => all.every((matches) => matches(scope));
}

type StringMap = Readonly<Record<string, string>> | null | undefined;

const required = (wanted: Readonly<Record<string, string>>, of: (object: KubeObject) => StringMap): Matches[] =>
  Object.entries(wanted).map(
    ([key, value]) =>
      ({ object }) =>
        of(object)?.[key] === value,
  );

function compileMatch(value: unknown, path: string): Matches {
  const fields = new Fields(value, path, ['cel', 'key', 'operator', 'values']);
  if (fields.has('cel')) {
    const expression = new Fields(
      fields.part('cel', (part) => part),
      fields.path('cel'),
      ['expression'],
    );
    return condition(expression.requiredText('expression'), expression.path('expression'));
  }
  const find = compilePath(fields.requiredText('key'), fields.path('key'));
  const operator = fields.word('operator', operators) ?? 'In';
  const values = new Set(fields.texts('values'));
  const takesValues = operator === 'In' || operator === 'NotIn';
  if (takesValues !== values.size > 0)
    throw new StageError(
      fields.path('values'),
      `must ${takesValues ? '' : 'not '}be given with the operator ${operator}`,
    );
  return ({ object }) => {
    const found = find(object);
    const isIn = found.some((item) => values.has(typeof item === 'string' ? item : JSON.stringify(item)));
    return { In: isIn, NotIn: !isIn, Exists: found.length > 0, DoesNotExist: found.length === 0 }[operator];
  };
}

/** A condition about members that do not exist is false. */
function condition(source: string, path: string): Matches {
  const evaluate = compileAt(source, path, stageResults.condition);
  return (scope) => {
    try {
      const value = evaluate(scope);
      if (typeof value === 'boolean') return value;
    } catch (error) {
      if (error instanceof StageError && isMissingMember(error)) return false;
      throw error;
    }
    throw new StageError(path, 'must evaluate to bool');
  };
}

/** A member, or all items of a list. */
type Segment = { readonly name: string } | 'items';

const segment = /\.?\["((?:[^"\\]|\\.)*)"\]|\.?\[\]|\.([A-Za-z_][A-Za-z0-9_]*)/y;

/** Compiles a path such as `.metadata.annotations["a/b"]` or `.metadata.finalizers.[]`. The result finds the values at the path. Throws StageError. */
function compilePath(text: string, where: string): (value: unknown) => unknown[] {
  const segments: Segment[] = [];
  for (let at = 0; at < text.length; at = segment.lastIndex) {
    segment.lastIndex = at;
    const match = segment.exec(text);
    if (match === null)
      throw new StageError(
        where,
        `${JSON.stringify(text)} is not a path such as .status.phase; give an expression by \`cel\``,
      );
    const [, quoted, plain] = match;
    const name = quoted === undefined ? plain : (JSON.parse(`"${quoted}"`) as string);
    segments.push(name === undefined ? 'items' : { name });
  }
  return (value) => segments.reduce<unknown[]>((values, part) => values.flatMap((item) => select(item, part)), [value]);
}

function select(value: unknown, part: Segment): unknown[] {
  if (part === 'items') return Array.isArray(value) ? value : [];
  if (!isRecord(value) || !Object.hasOwn(value, part.name)) return [];
  const member = value[part.name];
  return member === undefined || member === null ? [] : [member];
}
