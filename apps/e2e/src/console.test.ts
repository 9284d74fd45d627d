import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { BrowserPage } from './browser.ts';
import { apichain, background, failsWith, succeeds } from './command-line.ts';
import { ConsoleChain } from './console-chain.ts';
import { requireChromium, requireKubectl } from './requirements.ts';
import { replicaSetOf, settingsOf, shopManifests } from './console-objects.ts';

describe('the console', () => {
  let chain: ConsoleChain;
  let root: string;
  let directory: readonly string[];
  let browser: BrowserPage;

  before(async function () {
    this.timeout(480_000);
    requireChromium(this);
    requireKubectl(this);
    chain = new ConsoleChain('console');
    ({ root, directory } = chain);
    const printed = await succeeds('up', '--detach', ...directory, '--console');
    const url = /^console: (http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]+)$/m.exec(printed)?.[1] ?? '';
    assert.notEqual(url, '', printed);
    apply(shopManifests);
    apply(replicaSetOf(kubectl('get', 'deployment', 'web', '-n', 'shop', '-o', 'jsonpath={.metadata.uid}')));
    apply(settingsOf(kubectl('get', 'replicaset', 'web-6f7c9d', '-n', 'shop', '-o', 'jsonpath={.metadata.uid}')));
    browser = await chain.open(url);
  });
  after(() => chain?.close());
  afterEach(async () => {
    await chain.assertSound();
  });

  const kubectl = (...args: string[]) => chain.kubectl(args);
  const apply = (input: string) => chain.kubectl(['apply', '-f', '-'], input);
  const rowOf = (text: string) => browser.page.locator('tbody tr', { hasText: text }).first();

  it('logs in with the URL of the terminal, once, and forgets the code', async () => {
    assert.equal(new URL(browser.page.url()).hash, '#/');
    for (const name of readdirSync(join(root, 'logs')))
      assert.doesNotMatch(readFileSync(join(root, 'logs', name), 'utf8'), /#code=/, name);
    const url = (await succeeds('console', ...directory)).trim();
    const [first, second] = [await BrowserPage.open(), await BrowserPage.open()];
    try {
      await first.page.goto(url);
      await first.shows('.user', 'kubernetes-admin');
      await second.page.goto(url);
      await second.shows('h1', 'apichain console');
      await second.picture('login');
      await first.page.reload();
      await first.shows('.user', 'kubernetes-admin');
      await first.page.click('text=Log out');
      await first.shows('h1', 'apichain console');
    } finally {
      await first.close();
      await second.close();
    }
  });

  it('shows objects with the columns of the server, and follows them', async () => {
    await browser.goTo('#/objects/core/configmaps?namespace=shop');
    await browser.shows('thead', 'Data');
    await rowOf('web-settings').waitFor();
    kubectl('create', 'configmap', 'appears', '-n', 'shop', '--from-literal=a=b');
    await rowOf('appears').waitFor();
    kubectl('delete', 'configmap', 'appears', '-n', 'shop');
    await rowOf('appears').waitFor({ state: 'detached' });
    await browser.goTo('#/objects/shop.example.com/orders');
    await browser.shows('thead', 'Customer');
    await browser.shows('tbody', 'ada');
    await browser.goTo('#/objects/apps/deployments');
    await rowOf('web').waitFor();
    await browser.picture('objects');
  });

  it('finds kinds by the keyboard', async () => {
    await browser.page.keyboard.press('/');
    await browser.page.keyboard.type('quota');
    await browser.page.keyboard.press('Tab');
    await browser.page.keyboard.press('Enter');
    await browser.shows('h1', 'ResourceQuota');
    await browser.shows('.empty', 'There is no ResourceQuota.');
    await browser.page.fill('.search', '');
  });

  it('checks an edited manifest, shows what the server would change, and only then writes it', async () => {
    await browser.goTo('#/object/apps/deployments/shop/web/yaml');
    const editor = browser.page.locator('textarea');
    await browser.edits('replicas: 3');
    const text = await editor.inputValue();
    assert.doesNotMatch(text, /managedFields/);
    await editor.fill(
      text
        .replace('replicas: 3', 'replicas: many')
        .replace('    image: ', '    imagee: ')
        .replace('  image: ', '  imagee: '),
    );
    await browser.shows('.findings', 'spec.replicas');
    await browser.shows('.findings', 'integer (int32) is expected, not "many"');
    await browser.shows('.findings', 'imagee the field is not known');
    await browser.picture('validation');

    const replicas = () => kubectl('get', 'deployment', 'web', '-n', 'shop', '-o', 'jsonpath={.spec.replicas}');
    await editor.fill(text.replace('replicas: 3', 'replicas: 5'));
    await browser.page.click('text=Dry run');
    await browser.shows('.diff .added', 'replicas: 5');
    await browser.shows('.diff .removed', 'replicas: 3');
    assert.equal(replicas(), '3');
    await browser.picture('diff');
    await browser.page.click('.preview >> text=Apply');
    await browser.page.locator('.preview').waitFor({ state: 'detached' });
    assert.equal(replicas(), '5');
    const managers = kubectl(
      'get',
      'deployment',
      'web',
      '-n',
      'shop',
      '-o',
      'jsonpath={.metadata.managedFields[*].manager}',
    );
    assert.match(managers, /apichain-console/);
  });

  it('applies with server-side apply, and shows a conflict in the words of the server', async () => {
    await browser.goTo('#/object/core/configmaps/shop/web-settings/yaml');
    const editor = browser.page.locator('textarea');
    await browser.edits('greeting: hello');
    await browser.page.selectOption('.yaml select', 'apply');
    await editor.fill((await editor.inputValue()).replace('greeting: hello', 'greeting: good day'));
    await browser.page.click('text=Dry run');
    await browser.shows('.refusal', /409 Conflict/);
    await browser.shows('.refusal li', /\.data\.greeting conflict with "kubectl-client-side-apply"/);
    await browser.page.check('text=take over fields of others');
    await browser.page.click('text=Dry run');
    await browser.page.click('.preview >> text=Apply');
    await browser.page.locator('.preview').waitFor({ state: 'detached' });
    assert.equal(
      kubectl('get', 'configmap', 'web-settings', '-n', 'shop', '-o', 'jsonpath={.data.greeting}'),
      'good day',
    );
  });

  it('creates an object, and deletes it when asked twice', async () => {
    await browser.goTo('#/create/core/configmaps?namespace=shop');
    const editor = browser.page.locator('textarea');
    await editor.fill((await editor.inputValue()).replace('name: ', 'name: made-here'));
    await browser.page.click('text=Dry run');
    await browser.page.click('.preview >> text=Create');
    await browser.shows('h1', 'made-here');
    await browser.page.click('.view-tools >> text=Delete');
    await browser.shows('dialog', 'Delete ConfigMap made-here?');
    await browser.page.keyboard.press('Escape');
    await browser.page.locator('dialog').waitFor({ state: 'detached' });
    assert.match(kubectl('get', 'configmaps', '-n', 'shop'), /made-here/);
    await browser.page.click('.view-tools >> text=Delete');
    await browser.page.click('dialog >> text=Delete >> nth=-1');
    await browser.shows('h1', 'ConfigMap');
    assert.doesNotMatch(kubectl('get', 'configmaps', '-n', 'shop'), /made-here/);
  });

  it('edits custom resources by a form of their schema, beside the YAML', async () => {
    await browser.goTo('#/object/shop.example.com/orders/shop/order-1042/yaml');
    await browser.edits('customer: ada');
    await browser.page.check('text=form');
    const form = browser.page.locator('[aria-label="Form"]');
    await form.getByLabel('total').fill('4300');
    await form.getByLabel('total').press('Tab');
    await browser.edits('total: 4300');
    await form.getByLabel('customer').fill('grace');
    await form.getByLabel('customer').press('Tab');
    await browser.edits('customer: grace');
    await browser.assertAccessible();
    await browser.picture('form');
    await browser.page.click('text=Dry run');
    await browser.shows('.diff .added', 'customer: grace');
    await browser.page.click('.preview >> text=Apply');
    await browser.page.locator('.preview').waitFor({ state: 'detached' });
    const order = ['get', 'order', 'order-1042', '-n', 'shop', '-o', 'jsonpath={.spec}'] as const;
    assert.equal(kubectl(...order), '{"customer":"grace","total":4300}');
  });

  it('shows the path of a request through the services, with the time of each', async () => {
    kubectl('annotate', 'order', 'order-1042', '-n', 'shop', 'note=hello');
    await browser.goTo('#/requests');
    await browser.page.fill('input[aria-label="Filter requests"]', 'order-1042');
    await rowOf('patch').waitFor();
    await browser.page.fill('input[aria-label="Filter requests"]', '');
    await browser.picture('requests');
    await rowOf('patch').locator('a').click();
    await browser.shows('h1', 'patch orders');
    for (const service of ['aggregator', 'kube-core', 'apiextensions'])
      await browser.shows('.waterfall tr.service', service);
    for (const part of ['authorization', 'mutating admission', 'validating admission', 'etcd', 'text of the response'])
      await browser.shows('.waterfall .part', part);
    // What lies between two measured parts has a name, too: nothing is left out until the last byte.
    for (const part of ['sending it to kube-core', 'sending it to apiextensions', 'sending the response'])
      await browser.shows('.waterfall .part', part);
    await browser.shows('.waterfall .part', 'passing the response of kube-core on');
    const drawing = browser.page.locator('.drawing svg');
    assert.match(
      (await drawing.getAttribute('aria-label')) ?? '',
      /^Passed aggregator [\d.]+ m?s, kube-core [\d.]+ m?s, apiextensions/,
    );
    assert.match((await browser.page.locator('.box.responded + .name').textContent()) ?? '', /apiextensions/);
    await browser.picture('path');
    await browser.page.emulateMedia({ colorScheme: 'dark' });
    await browser.picture('path-dark');
    await browser.page.emulateMedia({ colorScheme: 'light' });
  });

  it('says why a request was refused', async () => {
    assert.throws(() => kubectl('get', 'secrets', '-n', 'shop', '--as', 'jane'), /forbidden/);
    await browser.goTo('#/requests');
    await rowOf('jane').locator('a').click();
    await browser.page.click('text=why it was refused');
    await browser.shows('.verdict', 'not allowed');
    // Which rule would allow it, and the binding that does.
    await browser.shows('section[aria-label="Rules that would allow it"]', 'ClusterRole edit');
    await browser.page.click('tr:has-text("ClusterRole edit") >> text=Write a binding');
    await browser.edits('name: "edit"\nsubjects:\n- kind: User\n  apiGroup: rbac.authorization.k8s.io\n  name: "jane"');
    await browser.page.click('text=Discard draft');
    await browser.page.click('dialog >> text=Discard >> nth=-1');
    await browser.goTo('#/access?user=jane&verb=list&resource=configmaps&namespace=shop');
    await browser.shows('.verdict .good', 'allowed');
    await browser.shows('.verdict', 'RoleBinding "readers/shop"');
    await browser.shows('section[aria-label="Rules that allow it"] tbody', 'RoleBinding readers');
    await browser.shows('section[aria-label="Rules that allow it"] tbody', 'ClusterRole view');
    await browser.shows('section[aria-label="Rules"] tbody', 'selfsubjectrulesreviews');
    await browser.picture('access');
  });

  it('shows events, owners and references of an object', async () => {
    await browser.goTo('#/object/apps/deployments/shop/web/events');
    await browser.shows('tbody', 'ScalingReplicaSet');
    await browser.goTo('#/object/apps/deployments/shop/web/relations');
    // Also what its ReplicaSet owns.
    for (const name of ['web-6f7c9d', 'web-owned', 'web-tls', 'web-settings', 'ServiceAccount'])
      await browser.shows('svg .node', name);
    await browser.picture('relations');
    await browser.page.click('svg a:has-text("web-6f7c9d")');
    await browser.shows('h1', 'web-6f7c9d');
    await browser.shows('svg .node', 'Deployment');
  });

  it('shows workloads also where nothing controls them', async () => {
    await browser.goTo('#/workloads?namespace=shop');
    await browser.shows('section[aria-label="Rollouts"] tbody', 'not yet seen by its controller');
    await browser.shows('section[aria-label="Nodes"]', 'There is no Node.');
    await browser.shows('section[aria-label="Events"] tbody', 'Scaled up replica set web-6f7c9d to 3');
    await browser.shows('.note', 'live');
  });

  it('shows definitions and API services with their conditions', async () => {
    await browser.goTo('#/apis');
    await browser.shows('tbody', 'orders.shop.example.com');
    await browser.shows('.badge.good', 'Established');
    await browser.shows('.badge.bad', 'Available: False');
    await browser.shows('.reason', 'service/metrics in "shop" is not present');
    await browser.picture('api-services');
  });

  it('explores the schemas of the API, and sends a GET', async () => {
    await browser.goTo('#/explorer/shop.example.com%2Fv1/Order');
    await browser.page.click('.field:has-text("spec")');
    await browser.shows('.fields .fields', 'Who ordered.');
    await browser.shows('.required', 'required');
    await browser.page.fill('input[aria-label="Path"]', '/apis/shop.example.com/v1/namespaces/shop/orders');
    await browser.page.click('text=Send');
    await browser.shows('.received', 'order-1042');
    await browser.goTo('#/explorer/apps%2Fv1/Deployment');
    await browser.shows('.schema h2', 'Deployment');
    await browser.picture('explorer');
  });

  it('works in dark colours and in a narrow window, with the rights of a token alone', async () => {
    const token = kubectl('create', 'token', 'web', '-n', 'shop').trim();
    const other = await BrowserPage.open('dark');
    try {
      await other.page.goto(new URL(browser.page.url()).origin);
      await other.page.fill('input[name="token"]', 'not-a-token');
      await other.page.click('form button');
      await other.shows('.problem', 'does not accept');
      await other.page.fill('input[name="token"]', token);
      await other.page.click('form button');
      await other.shows('.user', 'system:serviceaccount:shop:web');
      await other.shows('h1', 'Overview');
      await other.shows('.note-box', /may not list it/);
      assert.equal(await other.page.locator('.problem, .refusal').count(), 0);
      await other.goTo('#/requests');
      await other.shows('.note', 'your own');
      await other.page.setViewportSize({ width: 420, height: 800 });
      await other.assertNothingCut();
      await other.picture('narrow-dark');
      assert.deepEqual(other.errors, []);
    } finally {
      await other.close();
    }
  });

  it('shows an opened backup, and leads from one chain to the other', async () => {
    const [securePort, consolePort] = [await freePort(), await freePort()];
    const ports = [`--secure-port=${securePort}`, `--console-port=${consolePort}`];
    const opened = background('open', root, ...ports);
    const other = await BrowserPage.open();
    try {
      other.page.setDefaultTimeout(30_000);
      await other.page.goto((await succeeds('console', ...directory)).trim());
      await other.shows('h1', 'Overview');
      const { origin } = new URL(other.page.url());
      await other.page.goto(await opened.says(/^console: (\S+)$/m));
      await other.shows('.user', 'kubernetes-admin');
      await other.goTo('#/object/core/secrets/shop/web-tls/yaml');
      await other.shows('h1', 'web-tls');
      await other.goTo('#/object/core/configmaps/shop/web-settings/yaml');
      await other.edits('greeting: good day');
      await other.page.locator('textarea').fill('kind: ConfigMap');
      await other.page.click('text=Dry run');
      await other.shows('.refusal', '405 MethodNotAllowed');
      await other.page.click('text=Discard draft');
      await other.page.click('dialog >> text=Discard >> nth=-1');
      await other.page.click('summary:has-text("Other chains")');
      await other.page.click(`.others >> text=${new URL(origin).host}`);
      await other.shows('.user', 'kubernetes-admin');
      assert.equal(new URL(other.page.url()).origin, origin);
      assert.deepEqual(other.errors, []);
    } finally {
      await other.close();
      await opened.interrupt();
    }
  });

  it('sends requests to no other origin, and keeps no secret that scripts of others could read', async () => {
    const { origin } = new URL(browser.page.url());
    assert.deepEqual([...browser.origins], [origin]);
    const kept = await browser.page.evaluate('[document.cookie, localStorage.length, document.referrer]');
    assert.deepEqual(kept, ['', 0, '']);
    const cookies = await browser.page.context().cookies();
    assert.deepEqual(
      cookies.map(({ httpOnly, sameSite, domain }) => [httpOnly, sameSite, domain]),
      [[true, 'Strict', '127.0.0.1']],
    );
  });

  it('does not exist without the flag', async () => {
    const without = mkdtempSync(join(tmpdir(), 'apichain-without-'));
    try {
      await succeeds('up', '--detach', '--data-dir', without, '--in-process', '--memory', '--apis=minimal');
      await failsWith(/has no console: start it with --console/, 'console', '--data-dir', without);
    } finally {
      await apichain('down', '--data-dir', without);
      rmSync(without, { recursive: true, force: true });
    }
    await failsWith(/--console-port: "0" is not a port/, 'up', '--console-port', '0');
  });
});
