import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringifyYaml } from '@apichain/meta';
import { startChain } from '@apichain/testing';
import ts from 'typescript';
import { parseArguments } from '../commands/parse.ts';
import { commands } from '../commands/table.ts';

const repository = resolve(import.meta.dirname, '../../../..');

/** A definition of a kind with a schema for each version. */
const definition = (
  kind: string,
  versions: Record<string, object | undefined>,
  group = 'example.com',
  scope = 'Namespaced',
) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${kind.toLowerCase()}s.${group}` },
  spec: {
    group,
    scope,
    names: { kind, plural: `${kind.toLowerCase()}s` },
    versions: Object.entries(versions).map(([name, openAPIV3Schema], index) => ({
      ...{ name, served: true, storage: index === 0, schema: { openAPIV3Schema } },
    })),
  },
});

/** Every shape that a structural schema can have, and names that are none of TypeScript. */
const gadget = {
  type: 'object',
  description: 'A gadget. */ export const stolen = 1; /*\r\nIts second line.\u2028Its third.',
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      required: ['mode', 'it\'s"\\\n', '__proto__'],
      properties: {
        mode: { type: 'string', enum: ['on', "o'ff", 'new\nline\u2028'] },
        level: { type: 'integer', enum: [1, 2], nullable: true },
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        'it\'s"\\\n': { type: 'boolean' },
        ['__proto__']: { type: 'string' },
        class: { type: 'number', description: 'A word of the language.' },
        labels: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
        matrix: { type: 'array', items: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } },
        steps: { type: 'array', items: { type: 'object', required: ['run'], properties: { run: { type: 'string' } } } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        open: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
        anything: { 'x-kubernetes-preserve-unknown-fields': true },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        known: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { kind: { type: 'string' }, spec: { type: 'object', properties: { size: { type: 'integer' } } } },
        },
      },
    },
    status: { type: 'object', nullable: true, properties: { ready: { type: 'boolean' } } },
  },
};
const empty = { type: 'object', properties: { data: { type: 'string' } } };

describe('apichain generate types', function () {
  this.timeout(60_000);
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-generate-'));
    write('package.json', '{"type":"module"}');
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  /** Runs the command. The result is the module. */
  async function generate(...args: readonly string[]): Promise<string> {
    const command = commands.find(({ name }) => name === 'generate');
    assert.ok(command !== undefined);
    const output = join(directory, 'output.ts');
    await (
      await command.load()
    )(parseArguments(command, ['types', ...args, '--output', output]));
    return readFileSync(output, 'utf8');
  }
  const write = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const ofDefinitions = (...definitions: readonly object[]) =>
    generate(write('definitions.yaml', definitions.map(stringifyYaml).join('---\n')));

  const compilerOptions: ts.CompilerOptions = {
    ...{
      strict: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      verbatimModuleSyntax: true,
      noEmit: true,
    },
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    ...{ skipLibCheck: true, allowImportingTsExtensions: true, types: ['node'], resolveJsonModule: true },
    typeRoots: [join(repository, 'node_modules/@types')],
    paths: { 'apichain/client': [join(repository, 'libs/client/src/library.ts')] },
  };
  const host = ts.createCompilerHost(compilerOptions);
  const getSourceFile = host.getSourceFile.bind(host);
  /** The files of the client and of Node, which are parsed once. */
  const parsed = new Map<string, ReturnType<typeof getSourceFile>>();
  host.getSourceFile = (file, ...options) => {
    if (file.startsWith(directory)) return getSourceFile(file, ...options);
    if (!parsed.has(file)) parsed.set(file, getSourceFile(file, ...options));
    return parsed.get(file);
  };

  /** The errors of the compiler for modules, which may import each other and the client. */
  function errorsOf(modules: Readonly<Record<string, string>>): string[] {
    const files = Object.entries(modules).map(([name, text]) => write(name, text));
    const program = ts.createProgram(files, compilerOptions, host);
    return files.flatMap((file) => {
      const source = program.getSourceFile(file);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    });
  }

  it('makes types that the compiler accepts, of every shape of a schema', async () => {
    const text = await ofDefinitions(
      definition('Gadget', { v1: gadget, v1beta1: empty }),
      definition('Gadget', { v1: empty }, 'acme.com', 'Cluster'),
      definition('Record', { v1: { ...empty, 'x-kubernetes-preserve-unknown-fields': true } }),
      definition('KubeObject', { v1: empty }),
      definition('Odd-Kind', { v1: { type: 'object' } }),
    );
    const use = `
import { controller, newClient, type KubeObject } from 'apichain/client';
import { AcmeGadget, ExampleGadget, ExampleGadgetV1beta1, ExampleKubeObject, OddKind, Record } from './gadgets.ts';

type Spec = ExampleGadget['spec'];
type Is<A, B> = [A, B] extends [B, A] ? true : never;
export const facts: true[] = [
  true satisfies Is<Spec['mode'], 'on' | "o'ff" | 'new\\nline\\u2028'>,
  true satisfies Is<Spec['level'], 1 | 2 | null | undefined>,
  true satisfies Is<Spec['port'], number | string | undefined>,
  true satisfies Is<Spec['it\\'s"\\\\\\n'], boolean>,
  true satisfies Is<Spec['class'], number | undefined>,
  true satisfies Is<Spec['labels'], { [key: string]: string | null } | undefined>,
  true satisfies Is<Spec['matrix'], ('a' | 'b')[][] | undefined>,
  true satisfies Is<Spec['steps'], { run: string }[] | undefined>,
  true satisfies Is<Spec['anything'], unknown>,
  true satisfies Is<Spec['template'], KubeObject | undefined>,
  true satisfies Is<NonNullable<Spec['known']>['spec'], { size?: number } | undefined>,
  true satisfies Is<ExampleGadget['status'], { ready?: boolean } | null | undefined>,
  true satisfies Is<AcmeGadget['data'], string | undefined>,
  true satisfies Is<typeof AcmeGadget.namespaced, boolean | undefined>,
];
export const defined = controller({
  for: ExampleGadget,
  owns: [AcmeGadget, { source: Record }],
  watches: [{ source: ExampleKubeObject, map: (object) => [{ namespace: '', name: object.data ?? '' }] }],
}).reconcile(async ({ object, apply, updateStatus }) => {
  await updateStatus({ ready: object.spec.mode === 'on' });
  await apply(AcmeGadget, { metadata: { name: object.metadata.name }, data: 'a' });
  // @ts-expect-error: there is no such field
  await updateStatus({ rady: true });
  // @ts-expect-error: a number is no text
  await apply(AcmeGadget, { metadata: { name: 'a' }, data: 1 });
  // @ts-expect-error: there is no such field
  console.log(object.spec.mod);
});
export async function read(): Promise<string | undefined> {
  const { spec } = await newClient().get({ ...ExampleGadget, namespace: 'a' }, 'b');
  const [odd] = (await newClient().list(OddKind)).items;
  return \`\${spec.mode} \${odd?.kind} \${(await newClient().get(ExampleGadgetV1beta1, 'c')).data}\`;
}
`;
    assert.deepEqual(errorsOf({ 'gadgets.ts': text, 'use.ts': use }), []);
    assert.ok(text.includes(' * A gadget. *\\/ export const stolen = 1; /*\n * Its second line.\n * Its third.\n */'));
    assert.ok(!/^export const stolen/m.test(text));
    assert.ok(
      text.includes(
        "  group: 'acme.com',\n  version: 'v1',\n  kind: 'Gadget',\n  resource: 'gadgets',\n  namespaced: false,\n",
      ),
    );
  });

  for (const [definitions, types] of [
    ['examples/website-operator/config/crd.yaml', 'examples/website-operator/website.ts'],
    ['examples/database-operator/config/crd.yaml', 'examples/database-operator/database.ts'],
    ['examples/greeting-operator/config/crd.yaml', 'examples/greeting-operator/greeting.ts'],
    ['examples/control-plane/config/crd.json', 'examples/control-plane/tenant.ts'],
    ['templates/operator/config/crd.json', 'templates/operator/src/resources/widget.ts'],
    ['templates/control-plane/config/crd.json', 'templates/control-plane/src/resources/widget.ts'],
  ] as const)
    it(`made ${types}`, async () =>
      assert.equal(await generate(join(repository, definitions)), readFileSync(join(repository, types), 'utf8')));

  it('takes the kinds of a server: by default those that are not of Kubernetes', async () => {
    await using chain = await startChain({
      crds: [definition('Gadget', { v1: gadget }), definition('Thing', { v2: empty })],
    });
    const server = ['--server', `--kubeconfig=${chain.kubeconfigFile}`];
    const own = await generate(...server);
    assert.deepEqual(
      [...own.matchAll(/^export const (\w+)/gm)].map(([, name]) => name),
      ['Gadget', 'Thing'],
    );
    const apps = await generate(...server, '--group=apps,autoscaling');
    assert.match(apps, /^export const Deployment: KindReference<Deployment>/m);
    assert.match(apps, /^export const HorizontalPodAutoscalerV1: /m);
    const use = `
import { Deployment } from './apps.ts';
import { Gadget } from './own.ts';
export const image = ({ spec }: Deployment): string | undefined => spec?.template.spec?.containers[0]?.image;
export const mode = ({ spec }: Gadget): 'on' | "o'ff" | 'new\\nline\\u2028' => spec.mode;
`;
    assert.deepEqual(errorsOf({ 'own.ts': own, 'apps.ts': apps, 'use.ts': use }), []);
    await assert.rejects(
      generate(...server, '--group=nobody.io'),
      /^StartupError: the server has no kinds in the group "nobody\.io"$/,
    );
  });

  it('refuses in one line what it cannot read', async () => {
    const refused = (args: readonly string[], message: RegExp) =>
      assert.rejects(generate(...args), (error: Error) => {
        assert.equal(error.name, 'StartupError');
        assert.match(error.message, message);
        assert.ok(!error.message.includes('\n'));
        return true;
      });
    let nested: object = { type: 'string' };
    for (let depth = 0; depth < 200; depth++) nested = { type: 'array', items: nested };
    const bad: readonly (readonly [unknown, RegExp])[] = [
      ['{', /bad\.yaml: .*yaml/],
      ['kind: Pod', /bad\.yaml: apiVersion and kind are required$/],
      [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, /bad\.yaml: there is no CustomResourceDefinition$/],
      [
        { ...definition('A', { v1: empty }), apiVersion: 'apiextensions.k8s.io/v1beta1' },
        /v1beta1 is not apiextensions\.k8s\.io\/v1$/,
      ],
      [definition('A', {}), /as\.example\.com: no version is served$/],
      [definition('A', { v1: undefined }), /the version v1 has no schema$/],
      [
        {
          ...definition('A', { v1: empty }),
          spec: { versions: [{ name: 'v1', served: true, schema: { openAPIV3Schema: {} } }] },
        },
        /group is missing$/,
      ],
      [definition('A', { v1: { type: 'object', properties: { spec: nested } } }), /nested deeper than 100 levels$/],
    ];
    for (const [content, message] of bad)
      await refused([write('bad.yaml', typeof content === 'string' ? content : JSON.stringify(content))], message);
    const good = write('good.json', JSON.stringify(definition('A', { v1: empty })));
    await refused([good, good], /there are two definitions of example\.com\/v1 A$/);
    const twins = [definition('A', { v1: empty }, 'x.com'), definition('A', { v1: empty }, 'x.org')];
    await refused([write('twins.yaml', twins.map(stringifyYaml).join('---\n'))], /two kinds would have the type XA/);
    await refused([join(directory, 'none.yaml')], /none\.yaml/);
    await refused([], /^either FILES or --server is needed$/);
    await refused([good, '--server'], /^either FILES or --server is needed$/);
    await refused([good, '--group=a'], /^--group is for --server$/);
    await refused(['--server', `--kubeconfig=${good}`], /^--kubeconfig: .*contexts has no/);
  });
});
