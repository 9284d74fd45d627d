import assert from 'node:assert/strict';
import { BrowserPage } from './browser.ts';
import { waitFor } from './chain.ts';
import { succeeds } from './command-line.ts';
import { ConsoleChain } from './console-chain.ts';
import { requireChromium, requireKubectl } from './requirements.ts';

describe('the timeline of the console', () => {
  let chain: ConsoleChain;
  let browser: BrowserPage;

  before(async function () {
    this.timeout(480_000);
    requireChromium(this);
    requireKubectl(this);
    chain = new ConsoleChain('timeline');
    await succeeds('up', '--detach', ...chain.directory, '--in-process', '--memory', '--simulate=2', '--console');
    browser = await chain.open();
    kubectl('create', 'namespace', 'shop');
    kubectl('create', 'deployment', 'web', '-n', 'shop', '--image=nginx', '--replicas=2');
    kubectl('rollout', 'status', 'deployment/web', '-n', 'shop');
  });
  after(() => chain?.close());
  afterEach(async () => {
    await chain.assertSound();
    await browser.assertAccessible();
  });

  const kubectl = (...args: string[]) => chain.kubectl(args);
  const rowsOf = (table: string, text: string | RegExp, page = browser.page) =>
    page.locator(`[role="group"][aria-label="${table}"] tbody tr`, { hasText: text });
  /** Waits until a table has a row with the text, and scrolls to it: only the rows in sight are drawn. */
  const shows = async (table: string, text: string | RegExp, page = browser.page) => {
    const scrolls = `(() => {
      const box = document.querySelector('[role="group"][aria-label="${table}"]');
      if (box === null) return;
      const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
      box.scrollTop = isAtEnd ? 0 : box.scrollTop + box.clientHeight / 2;
    })()`;
    const isShown = async () => {
      if ((await rowsOf(table, text, page).count()) > 0) return true;
      await page.evaluate(scrolls);
      return false;
    };
    await waitFor(isShown, 30_000, () => `${table} has no row with ${String(text)}`);
  };
  const part = (name: string) => browser.page.locator('[aria-label="Parts of the change"] button', { hasText: name });
  const query = () => new URLSearchParams(new URL(browser.page.url()).hash.split('?')[1]);
  const select = async (text: string | RegExp, page = browser.page) => {
    await shows('Changes', text, page);
    await rowsOf('Changes', text, page).locator('button').first().click();
  };

  it('begins with what the server still knows of the time before it was opened', async () => {
    await browser.page.click('nav >> text=Timeline');
    await browser.page.selectOption('select[aria-label="Namespace"]', 'shop');
    await browser.shows('.note', 'live');
    await browser.page.fill('input[aria-label="Filter changes"]', 'kubernetes-admin');
    await shows('Changes', /Deployment web *added.*kubernetes-admin/);
    await select(/Deployment web *added/);
    await browser.shows('.change .facts', /POST \/apis\/apps\/v1\/namespaces\/shop\/deployments 201/);
    await browser.page.fill('input[aria-label="Filter changes"]', '');
  });

  it('leads from a change to its fields, to what followed, and to the object as it was', async () => {
    kubectl('scale', 'deployment', 'web', '-n', 'shop', '--replicas=3');
    await shows('Changes', /Deployment web.*spec\.replicas 2 → 3.*kubernetes-admin/);
    kubectl('rollout', 'status', 'deployment/web', '-n', 'shop');
    await select(/Deployment web.*spec\.replicas 2 → 3/);
    await browser.shows('.change h2', 'Deployment shop/web');
    await browser.shows('.change .facts', /kubernetes-admin, as kubectl \(scale\)/);
    assert.deepEqual(await browser.page.locator('.change tbody tr').first().locator('td').allTextContents(), [
      'spec.replicas',
      '2',
      '3',
    ]);
    await part('What followed').click();
    await shows('What followed', /ReplicaSet web-.*spec\.replicas 2 → 3/);
    await shows('What followed', /Pod web-.*added/);
    await shows('What followed', /Pod web-.*spec\.nodeName = node-.*system:kube-scheduler/);
    await shows('What followed', /Deployment web *event *ScalingReplicaSet/);
    await shows('What followed', /Pod web-.*event *Pulled/);
    await shows('What followed', /Deployment web *status.*status\.readyReplicas|Deployment web *status/);
    assert.equal(await rowsOf('What followed', /ServiceAccount/).count(), 0);
    await browser.page.setViewportSize({ width: 1280, height: 1020 });
    await browser.picture('timeline');
    await browser.page.emulateMedia({ colorScheme: 'dark' });
    await browser.assertAccessible();
    await browser.picture('timeline-dark');
    await browser.page.emulateMedia({ colorScheme: 'light' });
    await browser.page.setViewportSize({ width: 1280, height: 800 });

    kubectl('scale', 'deployment', 'web', '-n', 'shop', '--replicas=5');
    await browser.shows('.change', 'Until it was changed again');
    await part('As it was').click();
    await browser.shows('[aria-label="As it was"]', /replicas: 3/);
    assert.equal(await browser.page.locator('[aria-label="As it was"]', { hasText: 'managedFields' }).count(), 0);
    await part('Difference to now').click();
    await browser.shows('.change .diff .removed', 'replicas: 3');
    await browser.shows('.change .diff .added', 'replicas: 5');
  });

  it('leads to the path of the request of a change and back, by addresses that can be shared', async () => {
    const place = new URL(browser.page.url()).hash;
    assert.match(place, /^#\/timeline\?namespace=shop&change=deployments\.apps%40\d+&show=now$/);
    await browser.page.click('.change .facts a:has-text("PATCH")');
    await browser.shows('h1', 'patch deployments');
    await browser.shows('.waterfall .part', 'etcd');
    await browser.page.click('dt:has-text("Changed") + dd a');
    await browser.shows('h1', 'Timeline');
    await browser.shows('.change h2', 'Deployment shop/web');
    assert.equal(query().get('change'), new URLSearchParams(place.split('?')[1]).get('change'));
    await browser.page.goBack();
    await browser.shows('h1', 'patch deployments');
    await browser.page.goBack();
    await browser.shows('.change .diff .added', 'replicas: 5');
    // Somebody else who opens the place sees the same change, while the server knows it.
    const other = await BrowserPage.open();
    try {
      other.page.setDefaultTimeout(30_000);
      await other.page.goto((await succeeds('console', ...chain.directory)).trim());
      await other.shows('h1', 'Overview');
      await other.goTo(place);
      await other.shows('.change .diff .added', 'replicas: 5');
      await other.goTo('#/timeline?namespace=shop&change=deployments.apps%401');
      await other.shows('.note-box', 'deployments.apps@1 is not in the history of this tab');
      assert.deepEqual(other.errors, []);
    } finally {
      await other.close();
    }
  });

  it('is gone through by the keyboard, and limited to what one looks for', async () => {
    await browser.goTo('#/timeline?namespace=shop&find=spec.replicas&events=hidden&status=hidden');
    await shows('Changes', /Deployment web.*spec\.replicas 3 → 5/);
    const count = await rowsOf('Changes', 'spec.replicas').count();
    assert.equal(await rowsOf('Changes', /./).count(), count);
    await browser.page.click('h1');
    for (const key of ['j', 'j', 'j', 'k']) await browser.page.keyboard.press(key);
    const [, second] = await rowsOf('Changes', /./).all();
    assert.match((await second?.getAttribute('class')) ?? '', /selected/);
    await browser.page.keyboard.press('?');
    await browser.shows('dialog', 'an older change');
    await browser.page.keyboard.press('Escape');
    await browser.page.locator('dialog').waitFor({ state: 'detached' });
    await browser.page.setViewportSize({ width: 600, height: 800 });
    await browser.assertNothingCut();
    await browser.picture('timeline-narrow');
    await browser.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('goes on while one is elsewhere, and is a tab of an object, with Secrets hidden', async () => {
    await browser.goTo('#/object/apps/deployments/shop/web/yaml');
    await browser.edits('replicas: 5');
    kubectl('create', 'secret', 'generic', 'db', '-n', 'shop', '--from-literal=password=s3cret-word');
    kubectl('patch', 'secret', 'db', '-n', 'shop', '-p', '{"stringData":{"password":"an0ther-word"}}');
    kubectl('delete', 'secret', 'db', '-n', 'shop');
    await browser.page.click('.tabs >> text=Timeline');
    await shows('Changes', /Deployment web.*spec\.replicas 3 → 5/);
    assert.equal(await rowsOf('Changes', 'Secret').count(), 0);
    await browser.goTo('#/object/core/secrets/shop/db/timeline');
    await select(/Secret db *deleted/);
    await browser.shows('.change .facts', /DELETE .*secrets\/db 200/);
    await part('Difference to now').click();
    await browser.shows('.change', 'It no longer exists.');
    await select(/Secret db *changed/);
    await part('What changed').click();
    await browser.shows('.change tbody', /data\.password‹hidden 1, 11 bytes›‹hidden 2, 12 bytes›/);
    await part('As it was').click();
    await browser.shows('[aria-label="As it was"]', 'password: ‹hidden 2, 12 bytes›');
    const shown = await browser.page.locator('main').innerText();
    for (const word of ['s3cret-word', 'an0ther-word'])
      assert.ok(!shown.includes(word) && !shown.includes(Buffer.from(word).toString('base64')));
  });

  it('shows a user his own requests, and says which kinds he may not watch', async () => {
    kubectl('create', 'serviceaccount', 'dev', '-n', 'shop');
    kubectl('create', 'rolebinding', 'dev', '-n', 'shop', '--clusterrole=view', '--serviceaccount=shop:dev');
    const other = await BrowserPage.open('dark');
    try {
      other.page.setDefaultTimeout(30_000);
      await other.page.goto(new URL(browser.page.url()).origin);
      await other.page.fill('input[name="token"]', kubectl('create', 'token', 'dev', '-n', 'shop').trim());
      await other.page.click('form button');
      await other.shows('.user', 'system:serviceaccount:shop:dev');
      await other.goTo('#/timeline?namespace=shop');
      await other.shows('.note', 'live');
      kubectl('scale', 'deployment', 'web', '-n', 'shop', '--replicas=4');
      await select(/Deployment web.*spec\.replicas 5 → 4/, other.page);
      await other.shows('.change .facts', /Who *kubectl \(scale\)/);
      await other.shows('.change .facts', 'not yours: you see your own requests');
      await other.page.click('.timeline-kinds summary');
      await other.shows('.timeline-kinds', /You may not watch: .*Secret/);
      await other.assertAccessible();
      await other.assertNothingCut();
      assert.deepEqual(other.errors, []);
    } finally {
      await other.close();
    }
  });
});
