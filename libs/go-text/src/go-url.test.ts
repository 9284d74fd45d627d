import { strict as assert } from 'node:assert';
import { isRequestUri, parseGoUrl } from './go-url.ts';

const none = { user: undefined, query: '', fragment: '' };

describe('URLs as Go reads them', () => {
  it('are split into their parts', () => {
    assert.deepEqual(parseGoUrl('HTTPS://u:p@a:8443/x?y=z#f'), {
      scheme: 'https',
      host: 'a:8443',
      user: 'u:p',
      query: 'y=z',
      fragment: 'f',
    });
    assert.deepEqual(parseGoUrl('https:///x'), { ...none, scheme: 'https', host: '' });
    assert.deepEqual(parseGoUrl('a/b'), { ...none, scheme: '', host: '' });
    assert.deepEqual(parseGoUrl('mailto:a@b'), { ...none, scheme: 'mailto', host: '' });
    assert.deepEqual(parseGoUrl('https://[::1]:1/'), { ...none, scheme: 'https', host: '[::1]:1' });
  });
  it('have an error for an invalid text', () => {
    const errors = ['://', 'a b:c', 'https://a:x/', 'https://[::1', 'https://a/%zz', 'https://a b/'].map((text) => {
      const parsed = parseGoUrl(text);
      return 'error' in parsed ? parsed.error : parsed;
    });
    assert.deepEqual(errors, [
      'parse "://": missing protocol scheme',
      'parse "a b:c": first path segment in URL cannot contain colon',
      'parse "https://a:x/": invalid port ":x" after host',
      `parse "https://[::1": missing ']' in host`,
      'parse "https://a/%zz": invalid URL escape "%zz"',
      'parse "https://a b/": invalid character " " in host name',
    ]);
  });
  it('have a request URI', () => {
    const requested = ['http://x', '/a b', '//[', '*', 'mailto:a@b', 'https://x/#', 'http://[::1]:80/'];
    assert.deepEqual(
      requested.filter((text) => !isRequestUri(text)),
      [],
    );
    const refused = ['', 'a/b', '?x', 'http://[', 'http://a b/', 'http://x:y/', 'http://x#y', '/%zz', ':x'];
    assert.deepEqual(refused.filter(isRequestUri), []);
  });
});
