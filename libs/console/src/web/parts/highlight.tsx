/** A part of a line with a colour. */
interface Token {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'comment' | 'plain';
  readonly text: string;
}

const line = /^(\s*(?:- )*)((?:"[^"]*"|'[^']*'|[^\s#"'{[][^:#]*?):)?(\s+|$)?(.*)$/;

/** The colours of one line of YAML. A guess from the line alone: the text may be unfinished. */
export function tokens(text: string): readonly Token[] {
  if (/^\s*#/.test(text)) return [{ kind: 'comment', text }];
  const [, indent = '', key = '', space = '', value = ''] = line.exec(text) ?? [];
  const parts: Token[] = [
    { kind: 'plain', text: indent },
    { kind: 'key', text: key },
    { kind: 'plain', text: space },
    { kind: kindOfValue(value), text: value },
  ];
  return parts.filter((part) => part.text !== '');
}

function kindOfValue(value: string): Token['kind'] {
  if (/^-?\d+(\.\d+)?$/.test(value)) return 'number';
  if (/^(true|false|null|~|\{\}|\[\])$/.test(value)) return 'word';
  if (/^["']/.test(value)) return 'string';
  return 'plain';
}

/** YAML with colours. `marks` are lines with a finding. */
export function Highlighted({
  text,
  marks,
}: {
  readonly text: string;
  readonly marks?: ReadonlySet<number | undefined>;
}) {
  return (
    <>
      {text.split('\n').map((content, at) => (
        <div key={at} class={marks?.has(at + 1) === true ? 'line marked' : 'line'}>
          {tokens(content).map(({ kind, text: part }, i) => (
            <span key={i} class={`t-${kind}`}>
              {part}
            </span>
          ))}
          {'\n'}
        </div>
      ))}
    </>
  );
}
