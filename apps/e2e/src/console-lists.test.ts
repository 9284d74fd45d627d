import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrowserPage } from './browser.ts';
import { apichain, succeeds } from './command-line.ts';
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

/** A page of a list of 50,000 objects, as a server would send it. */
function pageOfMany(url: URL): object {
  const [total, first] = [50_000, Number(url.searchParams.get('continue') ?? 0)];
  const last = Math.min(total, first + Number(url.searchParams.get('limit')));
  const rows = Array.from({ length: last - first }, (_, at) => {
    const name = `made-${String(first + at).padStart(5, '0')}`;
    return { cells: [name, 1, '1d'], object: { metadata: { name, namespace: 'many', resourceVersion: '1' } } };
  });
  const more = last === total ? {} : { continue: String(last), remainingItemCount: total - last };
  const columnDefinitions = ['Name', 'Data', 'Age'].map((name) => ({
    name,
    type: 'string',
    description: '',
    priority: 0,
  }));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: '1', ...more },
    columnDefinitions,
    rows,
  };
}

describe('the lists of the console', () => {
  let root: string;
  let directory: string[];
  let browser: BrowserPage;

  before(async function () {
    this.timeout(480_000);
    requireChromium(this);
    requireKubectl(this);
    root = mkdtempSync(join(tmpdir(), 'apichain-lists-'));
    directory = ['--data-dir', root];
    await succeeds('up', '--detach', ...directory, '--in-process', '--memory', '--simulate=1', '--console');
    browser = await BrowserPage.open();
    browser.page.setDefaultTimeout(30_000);
    await browser.page.goto((await succeeds('console', ...directory)).trim());
    await browser.shows('h1', 'Overview');
    kubectl('create', 'namespace', 'many');
    await browser.page.evaluate(createMany);
  });
  after(async () => {
    await browser?.close();
    await apichain('down', ...directory);
    rmSync(root, { recursive: true, force: true });
  });
  afterEach(async () => {
    await browser.assertNothingCut();
    assert.deepEqual(browser.errors.splice(0), []);
  });

  const kubectl = (...args: string[]) =>
    execFileSync('kubectl', ['--kubeconfig', join(root, 'admin.kubeconfig'), ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
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

  it('stay quick with 50,000 objects', async () => {
    // The watch that follows stays open, and nothing happens in it.
    await browser.page.route(/fifty-thousand\/configmaps\?/, (route, request) =>
      request.url().includes('watch=1') ? undefined : route.fulfill({ json: pageOfMany(new URL(request.url())) }),
    );
    await browser.goTo('#/objects/core/configmaps?namespace=fifty-thousand');
    await browser.shows('.note', '50,000');
    await browser.page.fill('input[aria-label="Filter by name"]', 'made-4999');
    await rowOf('made-49999').waitFor();
    assert.equal(await rows().count(), 10);
    await browser.page.fill('input[aria-label="Filter by name"]', '');
    await browser.shows('.note', '· 50,000');
    await browser.page.evaluate('document.querySelector(".window").scrollTop = 1e9');
    await rowOf('made-49999').waitFor();
    assert.ok((await rows().count()) < 60);
    await browser.page.locator('th button', { hasText: 'Name' }).click();
    await browser.page.locator('th button', { hasText: 'Name' }).click();
    await browser.page.evaluate('document.querySelector(".window").scrollTop = 0');
    await rowOf('made-49999').waitFor();
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
