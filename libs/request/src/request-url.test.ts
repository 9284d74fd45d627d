import assert from 'node:assert/strict';
import { goQuote } from '@apichain/go-text';
import { newNotFound } from '@apichain/meta';
import { splitUrl, withoutOrigin } from './request-url.ts';

describe('splitUrl', () => {
  it('decodes paths and does not decode queries', () => {
    const url = splitUrl('/api/v1/%63onfigmaps/x%2Fy?limit=%31');
    assert.equal(url?.path, '/api/v1/configmaps/x/y');
    assert.equal(url.query.text('limit'), '1');
    assert.equal(splitUrl('/%C3%A9')?.path, '/\u00e9');
  });

  it('refuses malformed escapes', () => {
    for (const path of ['/%zz', '/a%', '/a%4']) assert.equal(splitUrl(path), undefined, path);
  });

  it('refuses queries with more parameters than Go accepts', () => {
    assert.equal(splitUrl(`/version?${'a&'.repeat(10_000)}`), undefined);
    assert.equal(splitUrl(`/version?${'a&'.repeat(9_999)}`)?.query.all('a')?.length, 9_999);
  });

  it('removes only scheme and host from a target', () => {
    assert.equal(withoutOrigin('http://host/../a?b=/c'), '/../a?b=/c');
    assert.equal(withoutOrigin('http://host?b=/c'), '/?b=/c');
    assert.equal(withoutOrigin('http://host'), '/');
    assert.equal(withoutOrigin('host:80'), undefined);
    assert.equal(splitUrl('http://host?b=/c')?.path, '/');
  });

  it('keeps octets that are not UTF-8 for errors', () => {
    const name = splitUrl('/%E9')?.path.slice(1) ?? '';
    assert.equal(goQuote(name), '"\\xe9"');
    const { status } = newNotFound({ group: '', resource: 'configmaps' }, name);
    assert.equal(status.message, 'configmaps "\\xe9" not found');
    assert.equal(status.details?.name, '\ufffd');
  });
});
