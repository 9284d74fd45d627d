import assert from 'node:assert/strict';
import type { ChainCase } from './chains/case-parts.fixture.ts';
import { extensions } from './chains/certificate.fixture.ts';
import { ChainTable, type ClientChain } from './chains/chains.fixture.ts';
import { TrustedCertificates, usages, verifyChain } from './verify.ts';

describe('verifyChain', () => {
  const table = new ChainTable('client', 'jane');
  const trusted = new TrustedCertificates(table.trusted);

  for (const { row, presented } of table.chains)
    it(`${row.isAccepted ? 'accepts' : 'refuses'}: ${row.name}`, () => {
      const { problem } = verifyChain(presented, trusted, usages.clientAuth);
      assert.equal(problem === undefined, row.isAccepted, problem);
    });

  it('says until when its verdict stays', () => {
    const hour = 1 / 24;
    const issuer = { to: hour, extensions: [extensions.ca()] };
    const [{ presented }, { trusted: authorities }] = single({ leaf: { by: 'issuer', from: -2, to: 2 }, issuer });
    const verdictAt = (now: number) =>
      verifyChain(presented, new TrustedCertificates(authorities), usages.clientAuth, now);
    const verdict = verdictAt(Date.now());
    assert.equal(verdict.problem, undefined);
    assert.equal(verdictAt(verdict.until - 1).problem, undefined);
    const later = verdictAt(verdict.until);
    assert.match(later.problem ?? '', /expired or is not yet valid/);
    assert.ok(later.until > verdict.until);
  });

  it('gives up on certificates that could be combined in too many ways', () => {
    const ca = [extensions.ca()];
    const circle = { by: 'issuer', namedAs: 'issuer', isForged: true, extensions: ca, count: 60 };
    const [{ presented }] = single({ leaf: { by: 'issuer' }, issuer: { by: 'issuer', extensions: ca }, circle });
    assert.match(verifyChain(presented, trusted, usages.clientAuth).problem ?? '', /too many certificates/);
  });

  it('verifies signatures from a trusted certificate downwards', () => {
    // Were the presented keys used first, each of these would be.
    const ca = [extensions.ca()];
    const [{ presented }, { trusted: authorities }] = single({
      leaf: { by: 'issuer' },
      issuer: { isForged: true, extensions: ca },
    });
    const keys: string[] = [];
    const watched = presented.map((certificate) => {
      const verify = certificate.verify.bind(certificate);
      certificate.verify = (key) => {
        keys.push(certificate.subject);
        return verify(key);
      };
      return certificate;
    });
    const { problem } = verifyChain(watched, new TrustedCertificates(authorities), usages.clientAuth);
    assert.match(problem ?? '', /unknown authority/);
    assert.deepEqual(keys, [presented[1]?.subject]);
  });

  function single(certificates: ChainCase['certificates']): [ClientChain, ChainTable] {
    const one = new ChainTable('single', 'jane', [{ name: 'single', isAccepted: true, certificates }]);
    const [chain] = one.chains;
    assert.ok(chain);
    return [chain, one];
  }
});
