import { strict as assert } from 'node:assert';
import { parseQuery } from '@apichain/request';
import { podLogOptions } from './log-options.ts';

const problem = (query: string): string => {
  try {
    podLogOptions('p', parseQuery(`/x?${query}`));
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

describe('podLogOptions', () => {
  it('reads the container, and the query for the kubelet', () => {
    const query = 'container=c&follow=maybe&previous=false&tailLines=0&limitBytes=1&sinceTime=2001-02-03T04:05:06Z';
    assert.deepEqual(podLogOptions('p', parseQuery(`/x?${query}&insecureSkipTLSVerifyBackend=true`)), {
      container: 'c',
      unchecked: true,
      forKubelet: [
        ['follow', 'true'],
        ['sinceTime', '2001-02-03T04:05:06Z'],
        ['tailLines', '0'],
        ['limitBytes', '1'],
      ],
    });
  });
  it('refuses malformed and invalid options', () => {
    assert.equal(problem('tailLines=x'), 'strconv.ParseInt: parsing "x": invalid syntax');
    assert.equal(problem('sinceTime=x'), 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"');
    assert.equal(
      problem('tailLines=-1&limitBytes=0&sinceSeconds=0'),
      'PodLogOptions "p" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, ' +
        'limitBytes: Invalid value: 0: must be greater than 0, sinceSeconds: Invalid value: 0: must be greater than 0]',
    );
    assert.equal(
      problem('sinceSeconds=1&sinceTime=2001-02-03T04:05:06Z'),
      'PodLogOptions "p" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    );
  });
});
