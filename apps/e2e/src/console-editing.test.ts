import assert from 'node:assert/strict';
import { freePort } from '@apichain/meta';
import type { BrowserPage } from './browser.ts';
import { succeeds } from './command-line.ts';
import { ConsoleChain } from './console-chain.ts';
import { requireChromium, requireKubectl } from './requirements.ts';

const objects = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {greeting: hello, theme: calm, size: small}
---
apiVersion: v1
kind: Secret
metadata: {name: db, namespace: shop}
stringData: {password: s3cret-word}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
`;

const settings = '#/object/core/configmaps/shop/settings/yaml';

describe('the editor of the console', () => {
  let chain: ConsoleChain;
  let directory: readonly string[];
  let up: string[];
  let browser: BrowserPage;

  before(async function () {
    this.timeout(480_000);
    requireChromium(this);
    requireKubectl(this);
    chain = new ConsoleChain('editing');
    ({ directory } = chain);
    up = ['up', '--detach', ...directory, '--in-process', '--console-port', String(await freePort())];
    await succeeds(...up);

    chain.kubectl(['apply', '-f', '-'], objects);
    browser = await chain.open();
  });
  after(() => chain?.close());
  afterEach(async () => {
    await chain.assertSound();
  });

  const kubectl = (...args: string[]) => chain.kubectl(args);
  const patch = (name: string, data: object) =>
    kubectl('patch', 'configmap', name, '-n', 'shop', '--type=merge', '-p', JSON.stringify({ data }));
  const dataOf = (name: string) =>
    JSON.parse(kubectl('get', 'configmap', name, '-n', 'shop', '-o', 'jsonpath={.data}')) as object;
  const editor = () => browser.page.locator('textarea');
  const edit = async (from: string, to: string) => {
    await browser.edits(from);
    await editor().fill((await editor().inputValue()).replace(from, to));
  };
  const press = (name: string) => browser.page.getByRole('button', { name, exact: true }).click();

  it('keeps a draft when one goes to another tab or kind, says so, and asks before it is discarded', async () => {
    await browser.goTo(settings);
    await edit('greeting: hello', 'greeting: good day');
    await browser.shows('.toolbar [role="status"]', 'Your draft of');
    await browser.page.click('.tabs >> text=Events');
    await browser.shows('.tabs', 'draft');
    await browser.goTo('#/objects/apps/deployments');
    await browser.shows('h1', 'Deployment');
    await browser.shows('.drafts', 'ConfigMap shop/settings');
    await browser.goTo('#/create/core/services');
    await edit('name: ', 'name: half');
    await browser.goTo('#/create/core/configmaps');
    await browser.edits('kind: ConfigMap');
    await browser.goTo('#/create/core/services');
    await browser.edits('name: half');
    await press('Discard draft');
    await browser.shows('dialog', 'Discard your draft?');
    await press('Discard');
    await browser.page.locator('.drafts', { hasText: 'new Service' }).waitFor({ state: 'detached' });

    await browser.page.click('.drafts >> text=ConfigMap shop/settings');
    await browser.edits('greeting: good day');
    // Logging out and closing the tab ask as well.
    await press('Log out');
    await browser.shows('dialog', 'lose your drafts');
    await press('Cancel');
    await browser.page.locator('dialog').waitFor({ state: 'detached' });
    const asked = browser.page.waitForEvent('dialog');
    const reloading = browser.page.evaluate('setTimeout(() => location.reload())');
    const dialog = await asked;
    assert.equal(dialog.type(), 'beforeunload');
    await dialog.dismiss();
    await reloading;
    await browser.edits('greeting: good day');
  });

  it('follows an open object, and merges a draft with what others write', async () => {
    patch('settings', { theme: 'loud' });
    await browser.shows('.changed', /changed by kubectl-patch since your draft began/);
    await browser.page.click('text=What has changed');
    await browser.shows('.changed .added', 'theme: loud');
    await browser.picture('changed');
    await browser.page.locator('.changed').getByRole('button', { name: 'Merge' }).click();
    await browser.page.locator('.changed').waitFor({ state: 'detached' });
    await browser.edits('theme: loud');
    await browser.edits('greeting: good day');
    // A field that both have changed: one is asked.
    patch('settings', { greeting: 'hi', size: 'large' });
    await browser.shows('.changed', 'since your draft began');
    await press('Dry run');
    await browser.shows('.conflicts legend', 'data.greeting');
    await browser.shows('.conflicts label', /yours good day/);
    await browser.picture('conflict');
    await browser.page.click('.conflicts label:has-text("theirs hi")');
    await browser.page.click('.conflicts label:has-text("yours good day")');
    await browser.page.locator('.conflicts').getByRole('button', { name: 'Merge' }).click();
    await browser.edits('size: large');
    await press('Dry run');
    await browser.shows('.diff .removed', 'greeting: hi');
    await press('Apply');
    await browser.page.locator('.drafts', { hasText: 'settings' }).waitFor({ state: 'detached' });
    assert.deepEqual(dataOf('settings'), { greeting: 'good day', theme: 'loud', size: 'large' });
    // Without a draft, the text follows by itself.
    patch('settings', { size: 'huge' });
    await browser.edits('size: huge');
  });

  it('shows a refusal with its causes, each at its line', async () => {
    await browser.goTo('#/object/apps/deployments/shop/web/yaml');
    await edit('replicas: 1', 'replicas: -1');
    await edit('terminationGracePeriodSeconds: 30', 'terminationGracePeriodSeconds: -5');
    await press('Dry run');
    await browser.shows('.refusal .badge', '422 Invalid');
    await browser.shows('.refusal', 'The server does not accept this');
    await browser.shows('.refusal li', /spec\.replicas .*must be greater than or equal to 0/);
    const line = browser.page.locator('.refusal li', { hasText: 'spec.replicas' }).locator('button');
    const number = Number((await line.textContent())?.replace('line ', ''));
    const lines = (await editor().inputValue()).split('\n');
    assert.equal(lines[number - 1], '  replicas: -1');
    await browser.shows('.colours .line.marked', 'replicas: -1');
    await line.click();
    const selected = await browser.page.evaluate<string>('getSelection().toString()');
    assert.equal(selected.trim(), 'replicas: -1');
    await browser.picture('refusal');
    await press('Discard draft');
    await press('Discard');

    await browser.goTo('#/object/core/configmaps/shop/not-there/yaml');
    await browser.shows('.refusal', '404 NotFound');
    await browser.shows('.refusal', 'configmaps "not-there" not found');
  });

  it('says that an object was deleted, and makes it again from a draft', async () => {
    kubectl('create', 'configmap', 'short-lived', '-n', 'shop', '--from-literal=a=b');
    await browser.goTo('#/object/core/configmaps/shop/short-lived/yaml');
    await edit('a: b', 'a: mine');
    kubectl('delete', 'configmap', 'short-lived', '-n', 'shop');
    await browser.shows('.changed', 'It was deleted. Your draft is kept.');
    await press('Create it again');
    await browser.edits('a: mine');
    await press('Dry run');
    await press('Create');
    await browser.shows('h1', 'short-lived');
    assert.deepEqual(dataOf('short-lived'), { a: 'mine' });
  });

  it('hides the values of Secrets, also in what kubectl has applied, and decodes one on demand', async () => {
    const word = 's3cret-word';
    const encoded = Buffer.from(word).toString('base64');
    await browser.goTo('#/object/core/secrets/shop/db/yaml');
    await browser.edits('last-applied-configuration: ‹hidden');
    const shown = await browser.page.locator('main').innerText();
    const text = await editor().inputValue();
    for (const secret of [word, encoded]) assert.ok(!shown.includes(secret) && !text.includes(secret), text);
    await browser.picture('secret');
    await press('Decode');
    await browser.shows('.decoded', word);
    await press('Hide');
    await browser.page.locator('.decoded').waitFor({ state: 'detached' });
    // What is hidden is written as it was.
    await edit('type: Opaque', 'stringData: {user: ada}\ntype: Opaque');
    await press('Dry run');
    await browser.shows('.diff .added', /user: ‹hidden/);
    await press('Apply');
    await browser.shows('.secret tbody', 'user');
    const stored = kubectl('get', 'secret', 'db', '-n', 'shop', '-o', 'json');
    const { data, metadata } = JSON.parse(stored) as { data: object; metadata: { annotations: object } };
    assert.deepEqual(data, { password: encoded, user: Buffer.from('ada').toString('base64') });
    assert.match(JSON.stringify(metadata.annotations), new RegExp(word));
  });

  it('says in words that the chain is away, and goes on in the same place after a restart', async () => {
    await browser.goTo(settings);
    await edit('size: huge', 'size: tiny');
    await succeeds('down', ...directory);
    await browser.shows('.connection', 'The chain does not respond since');
    await browser.page.click('.tabs >> text=Events');
    await browser.page.click('.tabs >> text=YAML');
    await browser.edits('size: tiny');
    await press('Dry run');
    assert.doesNotMatch(await browser.page.locator('body').innerText(), /Failed to fetch|NetworkError|TypeError/);
    await succeeds(...up);
    await browser.shows(
      '.login',
      /The session of kubernetes-admin has ended.*Your drafts are kept: ConfigMap shop\/settings/,
    );
    await browser.picture('login-again');
    await browser.page.evaluate(`location.href = ${JSON.stringify((await succeeds('console', ...directory)).trim())}`);
    await browser.shows('h1', 'settings');
    await browser.edits('size: tiny');
    assert.equal(new URL(browser.page.url()).hash, settings);
    await press('Dry run');
    await press('Apply');
    await browser.page.locator('.drafts', { hasText: 'settings' }).waitFor({ state: 'detached' });
    assert.deepEqual(dataOf('settings'), { greeting: 'good day', theme: 'loud', size: 'tiny' });
  });
});
