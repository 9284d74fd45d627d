import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { helpOf, overview } from './help.ts';
import { parseArguments } from './parse.ts';
import { commands } from './table.ts';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { zshScript } from '../completion/zsh.ts';

const named = (name: string) => {
  const command = commands.find((known) => known.name === name);
  assert.ok(command !== undefined, name);
  return command;
};

describe('the commands of apichain', () => {
  it('are listed in the overview, each with help on its flags', () => {
    for (const command of commands) {
      assert.match(overview(commands), new RegExp(`apichain ${command.name} +${command.summary}`));
      for (const { name } of command.flags) assert.ok(helpOf(command).includes(`--${name}`), name);
    }
  });

  it('take flags with = and with a space, lists, switches and defaults', () => {
    const args = parseArguments(named('kubeconfig'), ['--user', 'jane', '--group=a,b', '-group', 'c']);
    assert.equal(args.string('user'), 'jane');
    assert.deepEqual(args.list('group'), ['a', 'b', 'c']);
    assert.equal(args.string('data-dir'), '.apichain');
    assert.equal(parseArguments(named('migrate'), ['--overwrite']).boolean('overwrite'), true);
    assert.equal(parseArguments(named('migrate'), ['--overwrite=false']).boolean('overwrite'), false);
  });

  it('refuse unknown flags and arguments in one line', () => {
    const refused = (name: string, args: string[], message: RegExp) =>
      assert.throws(() => parseArguments(named(name), args), message);
    refused('down', ['--force'], /^StartupError: unknown flag: --force \(see apichain down --help\)$/);
    refused('down', ['--time-out=1'], /^StartupError: unknown flag: --time-out; did you mean --timeout\? \(see/);
    refused('down', ['now'], /unexpected argument: now/);
    refused('down', ['--timeout'], /--timeout needs a value: --timeout SECONDS/);
    refused('migrate', ['--overwrite=perhaps'], /--overwrite: "perhaps" is not true or false/);
    for (const name of ['status', 'list', 'logs', 'diff'])
      refused(name, ['-o', 'xml'], /^StartupError: --output: "xml" is not one of [a-z, ]+$/);
    refused(
      'diff',
      ['--ignore-managed-fields=perhaps'],
      /^StartupError: --ignore-managed-fields: "perhaps" is not true or false$/,
    );
    refused('completion', ['tcsh'], /shell: "tcsh" is not one of bash, zsh, fish/);
    refused('init', ['operators'], /project: "operators" is not one of api, operator, control-plane/);
    refused('init', ['api', 'one', 'two'], /unexpected argument: two/);
  });

  it('make nothing when a value makes no sense', async () => {
    const directory = join(tmpdir(), `apichain-refused-${process.pid}`);
    for (const [flag, message] of [
      ['--hosts=a,bad host', /^--hosts: "bad host" is neither a name nor an address$/],
      ['--server=a:6443', /^--server: "a:6443" is no URL of a server/],
      ['--services-server=ftp://a', /^--services-server: "ftp:\/\/a" is no URL of a server/],
      ['--owner=me', /^--owner me is not UID:GID$/],
    ] as const) {
      const args = parseArguments(named('certificates'), ['--pki-dir', directory, flag]);
      await assert.rejects((await named('certificates').load())(args), { name: 'StartupError', message });
      assert.equal(existsSync(directory), false, flag);
    }
    const args = parseArguments(named('kubeconfig'), ['--data-dir', directory, '--server', 'here']);
    await assert.rejects((await named('kubeconfig').load())(args), /--server: "here" is no URL of a server/);
  });

  it('take several arguments between flags', () => {
    const args = parseArguments(named('init'), ['api', '--kind', 'Backup', 'folder']);
    assert.deepEqual(args.arguments, ['api', 'folder']);
    assert.equal(args.string('kind'), 'Backup');
    assert.match(bashScript(commands), /init\) words="api operator control-plane --group --kind" directories=1 ;;/);
    assert.match(zshScript(commands), /'1:project:\(api operator control-plane\)' '2:folder:_files -\/'/);
    assert.match(fishScript(commands), /from init' -a '\(__fish_complete_directories\)'/);
  });

  it('have short flags, and a last argument that may be repeated', () => {
    const args = parseArguments(named('export'), [
      'backup.db',
      '-n',
      'a,b',
      'pods',
      '-l=app=web',
      'svc/web',
      '-n',
      'c',
    ]);
    assert.deepEqual(args.arguments, ['backup.db', 'pods', 'svc/web']);
    assert.deepEqual(args.list('namespace'), ['a', 'b', 'c']);
    assert.equal(args.string('selector'), 'app=web');
    assert.equal(parseArguments(named('diff'), ['a', 'b', '-o', 'json']).string('output'), 'json');
    assert.match(helpOf(named('diff')), /-o, --output FORMAT/);
    assert.match(bashScript(commands), /export\) words="[^"]*--selector[^"]*" files=1 ;;/);
    assert.match(zshScript(commands), /'1:backup:_files' '\*:kind: '/);
    assert.match(fishScript(commands), /from open' -F\n/);
  });

  it('are completed with the names of chains', () => {
    const directory = mkdtempSync(join(tmpdir(), 'apichain-completion-'));
    const chains = join(directory, 'data/apichain');
    for (const name of ['dev', 'shop', '$(touch expanded)']) mkdirSync(join(chains, name), { recursive: true });
    writeFileSync(join(directory, 'completion'), bashScript(commands));
    const complete = (...words: string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _apichain; echo "${COMPREPLY[*]}"',
          ...words,
        ],
        { cwd: directory, env: { ...process.env, XDG_DATA_HOME: join(directory, 'data') }, encoding: 'utf8' },
      ).trim();
    assert.equal(complete('bash', 'apichain', 'use', ''), 'dev shop');
    assert.equal(complete('bash', 'apichain', 'delete', 'shop', 'd'), 'dev');
    assert.equal(complete('bash', 'apichain', 'reset', '--name', ''), 'dev shop');
    assert.equal(existsSync(join(directory, 'expanded')), false);
    rmSync(chains, { recursive: true });
    assert.equal(complete('bash', 'apichain', 'reset', '--name', ''), '');
    rmSync(directory, { recursive: true });
    assert.match(zshScript(commands), /'1:name:_apichain_chains'/);
    assert.match(fishScript(commands), /from use' -a '\(__apichain_chains\)'\n/);
  });

  it('are completed, with their flags, by every shell', () => {
    for (const script of [bashScript(commands), zshScript(commands), fishScript(commands)])
      for (const { name, flags } of commands) {
        assert.ok(script.includes(name), name);
        for (const flag of flags) assert.ok(script.includes(flag.name), `${name} --${flag.name}`);
      }
  });
});
