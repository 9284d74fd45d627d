import assert from 'node:assert/strict';
import { ChainTable } from './chains/chains.fixture.ts';
import { TrustedCertificates, usages, verifyChain } from './verify.ts';

describe('verifyChain', () => {
  const table = new ChainTable('client', 'jane');
  const trusted = new TrustedCertificates(table.trusted);

  for (const { row, presented } of table.chains)
    it(`${row.isAccepted ? 'accepts' : 'refuses'}: ${row.name}`, () => {
      const { problem } = verifyChain(presented, trusted, usages.clientAuth);
      assert.equal(problem === undefined, row.isAccepted, problem);
    });
});
