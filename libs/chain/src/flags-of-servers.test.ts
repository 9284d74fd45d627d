import assert from 'node:assert/strict';
import { parseFlags } from '@apichain/apiserver-options';
import { aggregatorFlags } from '@apichain/server-aggregator';
import { apiExtensionsFlags } from '@apichain/server-apiextensions';
import { kubeCoreFlags } from '@apichain/server-core';

const servers = { aggregator: aggregatorFlags, 'kube-core': kubeCoreFlags, apiextensions: apiExtensionsFlags };

describe('flags of the servers of the chain', () => {
  it('have one type, and an effect in the servers that are named where they have none', () => {
    const all = Object.values(servers).flat();
    for (const { name, type, effectIn } of all) {
      const having = Object.entries(servers)
        .filter(([, flags]) => flags.some((flag) => flag.name === name && flag.effectIn === undefined))
        .map(([server]) => server);
      if (effectIn !== undefined) assert.deepEqual([...effectIn], having, name);
      for (const other of all) if (other.name === name) assert.equal(other.type, type, name);
    }
  });

  it('are told apart in the warning: those of another server, and those of none', () => {
    const { warnings } = parseFlags(apiExtensionsFlags, ['--service-cluster-ip-range=10.0.0.0/16', '--vmodule=a=1']);
    assert.deepEqual(warnings, [
      '--service-cluster-ip-range has no effect in this server, but in kube-core',
      '--vmodule is accepted but has no effect',
    ]);
  });
});
