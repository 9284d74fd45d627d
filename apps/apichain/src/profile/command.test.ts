import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '@apichain/chain/setup';
import { parseArguments } from '../commands/parse.ts';
import { commands } from '../commands/table.ts';
import { profileCommand } from './command.ts';

describe('apichain profile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'apichain-profile-'));
  after(() => rmSync(folder, { recursive: true }));

  const command = commands.find(({ name }) => name === 'profile');
  const run = async (...args: string[]) => {
    assert.ok(command !== undefined);
    await profileCommand(parseArguments(command, [`--data-dir=${folder}`, ...args]));
  };

  for (const [args, message] of [
    [['cpu'], /^name a profile and a service: apichain profile cpu\|heap aggregator/],
    [['all', 'kube-core'], /^profile: "all" is not one of cpu, heap/],
    [['cpu', 'etcd'], /^service: "etcd" is not one of aggregator, kube-core, apiextensions/],
    [['cpu', 'kube-core', '--seconds=0'], /^--seconds: "0" is not a number above 0 and up to 300$/],
    [['cpu', 'kube-core', '--seconds=301'], /^--seconds: "301" is not/],
    [['heap', 'kube-core'], /^no chain runs on /],
  ] as const)
    it(`refuses ${args.join(' ')} in one line`, () =>
      assert.rejects(run(...args), (error) => error instanceof StartupError && message.test(error.message)));
});
