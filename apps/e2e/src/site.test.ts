import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { BrowserPage } from './browser.ts';
import { repository, waitFor } from './chain.ts';
import { requireChromium } from './requirements.ts';

/** Clicks of a reader: the box of the search is VitePress' own. */
const searchButton = '#local-search button, .VPNavBarSearch button';
const html = join(repository, 'dist/site/html');
const result = '.VPLocalSearchBox .result';

describe('the documentation site', function () {
  let server: ChildProcess;
  let url: string;
  let browser: BrowserPage;

  before(async function () {
    requireChromium(this);
    assert.ok(existsSync(join(html, 'index.html')), 'run `npm run site` first');
    const port = await freePort();
    server = spawn(process.execPath, ['tools/site/build.ts', '--built', `--serve=${port}`], { cwd: repository });
    let output = '';
    for (const stream of [server.stdout, server.stderr])
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    url = `http://127.0.0.1:${port}`;
    await waitFor(
      () => output.includes(url),
      30_000,
      () => `the site is not served:\n${output}`,
    );
    browser = await BrowserPage.open();
    browser.page.setDefaultTimeout(30_000);
  });
  after(async () => {
    await browser?.close();
    server?.kill();
  });

  const search = async (words: string) => {
    await browser.page.locator(searchButton).first().click();
    await browser.page.fill('.VPLocalSearchBox input', words);
  };

  it('is searched, and a result leads to its page', async () => {
    await browser.page.goto(`${url}/start`);
    await search('encryption-provider-config');
    const found = browser.page.locator(result, { hasText: 'Secrets and encryption' }).first();
    await found.click();
    await browser.page.waitForURL(`${url}/backups**`);
    assert.equal(new URL(browser.page.url()).hash, '#secrets-and-encryption');
    await browser.shows('h1', 'Backups of etcd');
  });

  it('says when nothing is found', async () => {
    await search('xylophone');
    await browser.shows('.VPLocalSearchBox .no-results', 'xylophone');
    assert.equal(await browser.page.locator(result).count(), 0);
  });

  it('does not find the files that it only shows', async () => {
    await browser.page.fill('.VPLocalSearchBox input', 'greeting-operator');
    await browser.page.locator(result).first().waitFor();
    assert.equal(await browser.page.locator(`${result}[href*="/source/"]`).count(), 0);
  });

  it('is accessible, and nothing on its pages is cut off', async function () {
    this.timeout(600_000);
    const faults: string[] = [];
    for (const file of globSync('**/*.html', { cwd: html, exclude: ['reference/library/**', 'source/**'] })) {
      await browser.page.goto(`${url}/${file.replace(/\.html$/, '')}`);
      for (const holds of [
        () => browser.assertAccessible(),
        () => browser.assertLabelsInside(),
        () => browser.assertNothingCut(),
      ])
        await holds().catch((error: unknown) => faults.push(`${file}: ${String(error)}`));
    }
    assert.deepEqual(faults, []);
  });

  it('asks no other host for anything, and breaks no rule of its policy', () => {
    assert.deepEqual([...browser.origins], [url]);
    assert.deepEqual(browser.errors, []);
  });
});
