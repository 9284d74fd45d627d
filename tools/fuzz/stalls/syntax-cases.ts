import { times, withBody, type StallCase } from './stall-case.ts';

/** A text that grows: `head`, then `part` for each index, then `tail`. */
interface Syntax {
  readonly name: string;
  readonly text: (size: number) => string;
}

const repeat = (name: string, head: string, part: string, tail = ''): Syntax => ({
  name,
  text: (size) => head + part.repeat(size) + tail,
});
const each = (name: string, head: string, part: (index: number) => string, tail = ''): Syntax => ({
  name,
  text: (size) => head + times(size, part).join('') + tail,
});

const head = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}';
const yamlHead = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';

const jsonTexts: readonly Syntax[] = [
  { name: 'nested lists', text: (size) => `${head},"data":${'['.repeat(size)}${']'.repeat(size)}}` },
  { name: 'nested objects', text: (size) => `${head},"data":${'{"a":'.repeat(size)}1${'}'.repeat(size)}}` },
  repeat('open lists', head + ',"data":', '['),
  repeat('open objects', '', '{"a":'),
  repeat('a member repeated', head, ',"data":{}', '}'),
  repeat('a key repeated', `${head},"data":{"b":""`, ',"a":""', '}}'),
  each('two of each key', `${head},"data":{"b":""`, (i) => `,"k${i >> 1}":""`, '}}'),
  each('unknown members', head, (i) => `,"x${i}":1`, '}'),
  each('unknown members with wrong values', head, (i) => `,"x${i}":{"y":[]}`, '}'),
  each('keys that are numbers', `${head},"data":{"b":""`, (i) => `,"${i * 1_048_576}":""`, '}}'),
  each('keys of one hash', `${head},"data":{"b":""`, (i) => `,"${'AaBB'.repeat(i % 9)}${i}":""`, '}}'),
  repeat('escapes', `${head},"data":{"a":"`, '\\u0041', '"}}'),
  repeat('lone surrogates', `${head},"data":{"a":"`, '\\ud800', '"}}'),
  repeat('an open text', `${head},"data":{"a":"`, 'a'),
  repeat('backslashes', `${head},"data":{"a":"`, '\\\\', '"}}'),
  repeat('digits', `${head},"immutable":1`, '0', '}'),
  repeat('digits of a fraction', `${head},"immutable":0.`, '9', '}'),
  repeat('digits of an exponent', `${head},"immutable":1e`, '9', '}'),
  repeat('spaces', head, ' ', '}'),
  repeat('lines', head, '\n', '}'),
  repeat('commas', `${head},"data":[`, ','),
  repeat('documents', '', '{}'),
  repeat('nulls', `${head},"data":[null`, ',null', ']}'),
  repeat('wrong values of a map', `${head},"data":{"b":1`, ',"a":1', '}}'),
];

const yamlTexts: readonly Syntax[] = [
  ...jsonTexts,
  repeat('nested sequences in a line', `${yamlHead}data: `, '- '),
  repeat('nested keys in a line', '', '? '),
  repeat('flow sequences', 'a: ', '['),
  repeat('flow maps', '', '{a: '),
  repeat('flow entries', 'a: [', 'b, ', ']\n'),
  repeat('flow pairs', 'a: [', 'b: c, ', ']\n'),
  repeat('flow keys', 'a: {', '? ', '}\n'),
  {
    name: 'deep blocks',
    text: (size) => `${times(Math.ceil(Math.sqrt(size)), (i) => `${' '.repeat(i)}a:`).join('\n')}\n`,
  },
  {
    name: 'deep sequences',
    text: (size) => `${times(Math.ceil(Math.sqrt(size)), (i) => `${' '.repeat(i)}-`).join('\n')}\n`,
  },
  each('keys', `${yamlHead}data:\n`, (i) => `  k${i}: v\n`),
  each('keys with tags', `${yamlHead}data:\n`, (i) => `  !!str k${i}: !!str v\n`),
  each('anchors', `${yamlHead}data:\n`, (i) => `  k${i}: &a${i} v\n`),
  each('anchors on one value', 'a: ', (i) => `&a${i} `, 'x\n'),
  each('aliases', `x: &x [1]\ny:\n`, () => '- *x\n'),
  each('aliases of long texts', `x: &x ${'a'.repeat(1_000)}\ny:\n`, () => '- *x\n'),
  {
    name: 'aliases of aliases',
    text: (size) =>
      `x0: &x0 [a]\n${times(Math.min(size, 60), (i) => `x${i + 1}: &x${i + 1} [*x${i},*x${i}]`).join('\n')}\n`,
  },
  {
    name: 'merges of merges',
    text: (size) => `a0: &a0 {k: v}\n${times(size, (i) => `a${i + 1}: &a${i + 1} {<<: *a${i}, z${i}: 1}\n`).join('')}`,
  },
  {
    name: 'merges of a large map',
    text: (size) =>
      `a: &a {${times(Math.ceil(size / 2), (i) => `k${i}: v`).join(', ')}}\n${times(Math.ceil(size / 2), (i) => `b${i}: {<<: *a}\n`).join('')}`,
  },
  each('merge keys', 'a: &a {k: v}\nb:\n', () => '  <<: *a\n'),
  repeat('comments', '', '#\n', 'a: b\n'),
  repeat('comments behind values', '', 'a: b #\n'),
  repeat('one comment', 'a: b #', '#'),
  repeat('spaces behind a value', 'a: b', ' ', '#'),
  repeat('empty lines in a text', 'a: b\n', '\n', '  c'),
  repeat('empty lines in a block text', 'a: |\n', '\n', '  c'),
  repeat('lines of a folded text', 'a: >\n', '  b\n'),
  repeat('lines of a plain text', 'a: b\n', '  b\n'),
  repeat('lines of a quoted text', 'a: "\n', '  b\n', '  "\n'),
  repeat('quotes', "a: '", "''", "'\n"),
  repeat('escapes in quotes', 'a: "', '\\x41', '"\n'),
  repeat('line ends in quotes', 'a: "', '\\\n', '"\n'),
  repeat('underscores in a number', 'a: 1', '_1'),
  repeat('sexagesimal', 'a: 1', ':1'),
  repeat('dots', 'a: 1', '.1'),
  repeat('colons in a key', 'a', ':a', ': b\n'),
  repeat('a long key', 'a', 'a', ': b\n'),
  repeat('a long key over lines', 'a\n', ' a\n', ': b\n'),
  repeat('documents begin', '', '---\n'),
  repeat('documents', '', '--- a\n'),
  repeat('documents end', 'a: b\n', '...\n'),
  repeat('directives', '', '%FOO bar\n', '---\na: b\n'),
  repeat('tag handles', '', '%TAG !e! tag:e,2000:\n', '---\na: b\n'),
  repeat('a tag', 'a: !', 'a', ' b\n'),
  repeat('a tag of escapes', 'a: !<', '%41', '> b\n'),
  repeat('tabs', 'a: b', '\t'),
  repeat('tabs before a value', 'a:', '\t', 'b\n'),
  repeat('carriage returns', 'a: b', '\r'),
  repeat('next lines', 'a: b', '\u0085'),
  repeat('byte order marks', 'a: b', '\ufeff'),
  repeat('binary', 'a: !!binary "', 'AAAA', '"\n'),
  repeat('wrong binary', 'a: !!binary "', '!', '"\n'),
  repeat('a sequence of sequences', 'a:\n', '- - b\n'),
  repeat('a sequence of empty', 'a:\n', '-\n'),
  repeat('empty keys', '', '?\n'),
  repeat('a repeated key', yamlHead, 'data:\n'),
  repeat('wrong indents', 'a:\n', '    b: c\n   d: e\n'),
  repeat('at signs', 'a: ', '@'),
  repeat('stars', 'a: ', '*'),
  repeat('ampersands', 'a: ', '&'),
  repeat('exclamation marks', 'a: ', '!'),
  repeat('bars', 'a: ', '|'),
  repeat('percent signs', '', '%'),
];

const bytesCases: readonly {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: (size: number) => Buffer;
}[] = [
  ...(
    [
      ['nested lists', 0x81],
      ['open lists', 0x9f],
      ['open maps', 0xbf],
      ['nested maps', 0xa1],
      ['tags', 0xc1],
      ['open texts', 0x7f],
      ['integers', 0x00],
      ['breaks', 0xff],
    ] as const
  ).map(([name, byte]) => ({
    name,
    contentType: 'application/cbor',
    bytes: (size: number) => Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), Buffer.alloc(size, byte)]),
  })),
  {
    name: 'a text of empty chunks',
    contentType: 'application/cbor',
    bytes: (size) =>
      Buffer.concat([
        Buffer.from([0xd9, 0xd9, 0xf7, 0xa1, 0x61, 0x61, 0x7f]),
        Buffer.alloc(size, 0x60),
        Buffer.from([0xff]),
      ]),
  },
  {
    name: 'bytes of empty chunks',
    contentType: 'application/cbor',
    bytes: (size) =>
      Buffer.concat([
        Buffer.from([0xd9, 0xd9, 0xf7, 0xa1, 0x61, 0x61, 0x5f]),
        Buffer.alloc(size, 0x40),
        Buffer.from([0xff]),
      ]),
  },
  {
    name: 'one key repeated',
    contentType: 'application/cbor',
    bytes: (size) =>
      Buffer.concat([
        Buffer.from([0xd9, 0xd9, 0xf7, 0xbf]),
        Buffer.from('616100'.repeat(size), 'hex'),
        Buffer.from([0xff]),
      ]),
  },
  ...(
    [
      ['groups', '0b'],
      ['varints', '80'],
      ['unknown fields', 'f80700'],
      ['empty messages', '0a00'],
      ['nested messages', '1201'],
    ] as const
  ).map(([name, hex]) => ({
    name,
    contentType: 'application/vnd.kubernetes.protobuf',
    bytes: (size: number) => Buffer.concat([Buffer.from('k8s\0'), Buffer.from(hex.repeat(size), 'hex')]),
  })),
  ...(
    [
      ['metadata again and again', '0a00'],
      ['entries of one key', '12060a016112016b'.slice(0, 16)],
      ['empty entries', '1200'],
      ['unknown fields in the message', 'f80700'],
    ] as const
  ).map(([name, hex]) => ({
    name: `a config map of ${name}`,
    contentType: 'application/vnd.kubernetes.protobuf',
    bytes: (size: number) => envelope(Buffer.from(hex.repeat(size), 'hex')),
  })),
];

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  return Buffer.from([...bytes, left]);
}

/** Wraps bytes in a runtime.Unknown of a v1 ConfigMap. */
const envelope = (raw: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    Buffer.from([0x0a, 0x0f, 0x0a, 0x02, ...Buffer.from('v1'), 0x12, 0x09, ...Buffer.from('ConfigMap'), 0x12]),
    varint(raw.length),
    raw,
  ]);

const validations = ['', '&fieldValidation=Strict', '&fieldValidation=Warn', '&fieldValidation=Ignore'] as const;

/** Bodies with large syntax, for endpoints that parse a body. */
export function syntaxCases(namespace: string): readonly StallCase[] {
  const collection = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
  const texts = [
    ...jsonTexts.map((syntax) => ({ ...syntax, contentType: 'application/json' })),
    ...yamlTexts.map((syntax) => ({ ...syntax, contentType: 'application/yaml' })),
  ];
  const posts = texts.flatMap(({ name, text, contentType }) =>
    validations.map((validation) => ({
      name: `create ${contentType} ${name}${validation}`,
      request: (size: number) => withBody('POST', `${collection}${validation}`, contentType, text(size)),
    })),
  );
  const bytes = bytesCases.map(({ name, contentType, bytes: bytesOf }) => ({
    name: `create ${contentType} ${name}`,
    request: (size: number) => withBody('POST', collection, contentType, bytesOf(size)),
  }));
  const object = `/api/v1/namespaces/${namespace}/configmaps/mine`;
  const patches = (
    [
      ['application/merge-patch+json', jsonTexts],
      ['application/strategic-merge-patch+json', jsonTexts],
      ['application/json-patch+json', jsonTexts],
      ['application/apply-patch+yaml', yamlTexts],
    ] as const
  ).flatMap(([contentType, syntaxes]) =>
    syntaxes.map(({ name, text }) => ({
      name: `${contentType} ${name}`,
      request: (size: number) =>
        withBody(
          'PATCH',
          `${object}?dryRun=All&fieldManager=stalls&force=true`.replace(
            contentType.includes('apply') ? '' : '&force=true',
            '',
          ),
          contentType,
          text(size),
        ),
    })),
  );
  const deletes = texts.map(({ name, text, contentType }) => ({
    name: `delete ${contentType} ${name}`,
    request: (size: number) => withBody('DELETE', `${object}?dryRun=All`, contentType, text(size)),
  }));
  return [...posts, ...bytes, ...patches, ...deletes];
}
