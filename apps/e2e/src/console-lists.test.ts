import assert from 'node:assert/strict';
import { BrowserPage } from './browser.ts';
import { succeeds } from './command-line.ts';
import { ConsoleChain } from './console-chain.ts';
import { requireChromium, requireKubectl } from './requirements.ts';

/** More than the first page of a list. */
const many = 560;

/** Creates ConfigMaps in the session of the page, six at a time as a browser does. */
const createMany = `Promise.all(Array.from({ length: 6 }, async (_, part) => {
  const headers = { 'Content-Type': 'application/json', 'X-Console-Proof': sessionStorage.getItem('apichain-console-proof') };
  for (let i = part; i < ${many}; i += 6) {
    const metadata = { name: 'item-' + String(i).padStart(4, '0'), labels: { half: i % 2 === 0 ? 'even' : 'odd' } };
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { n: String(i) } });
    const response = await fetch('/api/v1/namespaces/many/configmaps', { method: 'POST', headers, body });
    if (!response.ok) throw new Error(await response.text());
  }
}))`;

/** More than a page holds. */
const total = 100_600;

/** A page of a list of that many objects, or the objects with a name, as a server would send them. */
function pageOfMany({ searchParams }: URL): object {
  const named = /^metadata\.name=made-(\d+)$/.exec(searchParams.get('fieldSelector') ?? '')?.[1];
  const first = Number(named ?? searchParams.get('continue') ?? 0);
  const last = Math.min(total, named === undefined ? first + Number(searchParams.get('limit')) : first + 1);
  const rows = Array.from({ length: last - first }, (_, at) => {
    const name = `made-${String(first + at).padStart(6, '0')}`;
    return { cells: [name, 1, '1d'], object: { metadata: { name, namespace: 'many', resourceVersion: '1' } } };
  });
  const more =
    last === total || named !== undefined ? {} : { continue: String(last), remainingItemCount: total - last };
  const columnDefinitions = ['Name', 'Data', 'Age'].map((name) => ({
    ...{ name, type: 'string', description: '', priority: 0 },
  }));
  const metadata = { resourceVersion: '1', ...more };
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions, rows };
}

describe('the lists of the console', () => {
  let chain: ConsoleChain;
  let directory: readonly string[];
  let browser: BrowserPage;

  before(async function () {
    this.timeout(480_000);
    requireChromium(this);
    requireKubectl(this);
    chain = new ConsoleChain('lists');
    ({ directory } = chain);
    await succeeds('up', '--detach', ...directory, '--in-process', '--memory', '--simulate=1', '--console');
    browser = await chain.open();
    kubectl('create', 'namespace', 'many');
    await browser.page.evaluate(createMany);
  });
  after(() => chain?.close());
  afterEach(async () => {
    await chain.assertSound();
  });

  const kubectl = (...args: string[]) => chain.kubectl(args);
  const rows = () => browser.page.locator('tbody tr:not(.room)');
  const rowOf = (text: string) => rows().filter({ hasText: text }).first();
  const press = (name: string) => browser.page.getByRole('button', { name, exact: true }).click();

  it('have all objects, of which only those in sight are drawn', async () => {
    await browser.goTo('#/objects/core/configmaps?namespace=many');
    await browser.shows('.note', `live · ${many + 1}`);
    assert.ok((await rows().count()) < 60);
    await browser.page.fill('input[aria-label="Filter by name"]', `item-0${many - 1}`);
    await rowOf(`item-0${many - 1}`).waitFor();
    assert.equal(await rows().count(), 1);
    // The place can be shared.
    assert.match(browser.page.url(), /#\/objects\/core\/configmaps\?namespace=many&name=item-0559$/);
    await browser.goTo('#/objects/core/configmaps?namespace=many&labels=half%3Dodd&name=item-00');
    await browser.shows('.note', `50 of ${many / 2}`);
    await browser.assertAccessible();
  });

  it('stay quick with 100,000 objects, and find on the server what is beyond them', async () => {
    // The watch that follows stays open, and nothing happens in it.
    await browser.page.route(/very-many\/configmaps\?/, (route, request) =>
      request.url().includes('watch=1') ? undefined : route.fulfill({ json: pageOfMany(new URL(request.url())) }),
    );
    await browser.goTo('#/objects/core/configmaps?namespace=very-many');
    await browser.shows('.note', 'live · 100,500 of 100,600');
    await browser.shows('main', '100 more exist. A namespace, labels or the whole name find them.');
    const find = (name: string) => browser.page.fill('input[aria-label="Filter by name"]', name);
    await find('made-09999');
    await rowOf('made-099999').waitFor();
    assert.equal(await rows().count(), 10);
    await find('made-100599');
    await rowOf('made-100599').waitFor();
    await find('nowhere');
    await browser.shows('.empty', 'None of the first 100,500 has a name with “nowhere”, and none on the server');
    await find('');
    await browser.shows('.note', 'live · 100,500 of');
    await browser.page.evaluate('document.querySelector(".window").scrollTop = 1e9');
    await rowOf('made-100499').waitFor();
    assert.ok((await rows().count()) < 60);
    await browser.page.locator('th button', { hasText: 'Name' }).click();
    await browser.page.locator('th button', { hasText: 'Name' }).click();
    await browser.page.evaluate('document.querySelector(".window").scrollTop = 0');
    await rowOf('made-100499').waitFor();
  });

  it('are worked with by the keyboard: rows, columns, selected objects', async () => {
    await browser.goTo('#/objects/core/configmaps?namespace=many&name=item-000&sort=-Name');
    await browser.shows('.note', `10 of ${many + 1}`);
    assert.match((await rows().first().textContent()) ?? '', /item-0009/);
    await browser.page.click('h1');
    for (const key of ['j', 'j', 'k', 'x', 'j', 'x']) await browser.page.keyboard.press(key);
    await browser.shows('[aria-label="Selected objects"]', '2 selected');
    await browser.page.click('summary:has-text("Columns")');
    await browser.page.check('.menu label:has-text("Labels")');
    await rowOf('half=even').waitFor();
    await browser.page.click('summary:has-text("Columns")');
    await browser.picture('selected');
    await press('Delete selected');
    await browser.shows('dialog', 'Delete 2 configmaps?');
    await browser.shows('dialog', 'many/item-0009, many/item-0008');
    await press('Delete');
    await rowOf('item-0009').waitFor({ state: 'detached' });
    await browser.shows('.note', `8 of ${many - 1}`);
    await browser.page.click('h1');
    await browser.page.keyboard.press('k');
    await browser.page.keyboard.press('k');
    await browser.page.keyboard.press('Enter');
    await browser.shows('h1', 'item-0007');
  });

  it('are reached from everywhere by a palette, and keys are explained', async () => {
    await browser.page.keyboard.press('Control+k');
    await browser.page.keyboard.type('cm item-0042');
    await browser.shows('[aria-selected="true"]', 'ConfigMap named item-0042');
    await browser.assertAccessible();
    await browser.page.keyboard.press('Enter');
    await rowOf('item-0042').waitFor();
    await browser.page.click('h1');
    await browser.page.keyboard.press('?');
    await browser.shows('dialog', 'the next row');
    await browser.page.keyboard.press('Escape');
    await browser.page.locator('dialog').waitFor({ state: 'detached' });
  });

  it('are in groups that can be closed, with favourites, colours and a menu in narrow windows', async () => {
    const section = (name: string) => browser.page.locator(`nav section[aria-label="${name}"]`);
    await section('Network')
      .locator('a', { hasText: /^Service$/ })
      .waitFor();
    await section('Network').locator('h2 button').click();
    await section('Network').locator('a').first().waitFor({ state: 'detached' });
    await section('Workloads').getByRole('button', { name: 'Favourite Deployment' }).click();
    await section('Favourites').locator('a', { hasText: 'Deployment' }).waitFor();
    await browser.page.selectOption('.theme select', 'dark');
    await browser.page.reload();
    await section('Favourites').locator('a', { hasText: 'Deployment' }).click();
    await browser.shows('h1', 'Deployment');
    assert.equal(await section('Network').locator('a').count(), 0);
    assert.equal(await browser.page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'dark');
    await browser.assertAccessible();
    await browser.page.selectOption('.theme select', 'light');

    await browser.page.setViewportSize({ width: 600, height: 800 });
    await browser.page.locator('#sidebar').waitFor({ state: 'hidden' });
    await press('Menu');
    await browser.page.click('#sidebar >> text=Workloads >> nth=0');
    await browser.shows('h1', 'Workloads');
    await browser.page.locator('#sidebar').waitFor({ state: 'hidden' });
    await browser.picture('narrow');
    await browser.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('begin with what goes wrong, what happened, and the requests', async () => {
    kubectl('create', 'deployment', 'web', '-n', 'many', '--image=web', '--replicas=2');
    const never = { template: { metadata: { annotations: { 'simulate.apichain.dev/ready': 'never' } } } };
    const spec = { progressDeadlineSeconds: 1, ...never };
    kubectl('patch', 'deployment', 'web', '-n', 'many', '-p', JSON.stringify({ spec }));
    await browser.goTo('#/overview');
    await browser.shows('.troubles', 'many/web');
    await browser.shows('.troubles', 'ProgressDeadlineExceeded');
    await browser.shows('section[aria-label="Requests"]', /[\d.]+ per second/);
    await browser.shows('section[aria-label="Slowest"] li', /m?s (create|get|list|patch|update)/);
    await browser.shows('section[aria-label="Events"]', 'ScalingReplicaSet');
    await browser.assertAccessible();
    await browser.picture('overview');
  });

  it('give a user of one namespace no error at first sight, and ask nothing twice', async () => {
    kubectl('create', 'serviceaccount', 'dev', '-n', 'many');
    kubectl('create', 'rolebinding', 'dev', '-n', 'many', '--clusterrole=view', '--serviceaccount=many:dev');
    const other = await BrowserPage.open();
    try {
      other.page.setDefaultTimeout(30_000);
      await other.page.goto(new URL(browser.page.url()).origin);
      await other.page.fill('input[name="token"]', kubectl('create', 'token', 'dev', '-n', 'many').trim());
      await other.page.click('form button');
      await other.shows('.note-box', /may not list it: Node\./);
      await other.shows('.troubles', 'web');
      assert.match(other.page.url(), /#\/overview\?namespace=many$/);
      await other.picture('first-sight');
      await other.goTo('#/objects/apps/deployments');
      await other.shows('.note-box', 'may not list deployments in all namespaces');
      await other.page.click('text=Show the namespace many');
      await other.shows('tbody', 'web');
      assert.equal(await other.page.locator('.problem, .refusal:not(.mild)').count(), 0);
      await other.assertAccessible();
      assert.deepEqual(other.errors, []);
    } finally {
      await other.close();
    }
  });
});
