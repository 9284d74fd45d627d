import assert from 'node:assert/strict';
import { didYouMean, nearestName } from './nearest-name.ts';

describe('nearestName', () => {
  const names = ['up', 'down', 'doctor', 'kubeconfig', 'authorization-mode', 'authorization-config'];

  it('finds the name that a misspelled word means', () => {
    assert.equal(nearestName('donw', names), 'down');
    assert.equal(nearestName('downn', names), 'down');
    assert.equal(nearestName('docter', names), 'doctor');
    assert.equal(nearestName('KubeConfg', names), 'kubeconfig');
    assert.equal(nearestName('authorisation-mode', names), 'authorization-mode');
  });

  it('finds nothing for a word that is no misspelling', () => {
    for (const word of ['', 'x', 'us', 'status', 'authorization'])
      assert.equal(nearestName(word, names), undefined, word);
  });
});

describe('didYouMean', () => {
  it('is the end of a message, or empty', () => {
    assert.equal(didYouMean('data-dri', ['data-dir'], '--'), '; did you mean --data-dir?');
    assert.equal(didYouMean('x'.repeat(100_000), ['data-dir'], '--'), '');
  });
});
