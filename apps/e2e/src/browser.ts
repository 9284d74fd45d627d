import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { waitFor } from './chain.ts';
import { chromium, type Browser, type Page } from 'playwright-core';

/** The path of Debian's Chromium; undefined where it is not installed. */
export function chromiumPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'chromium')).find((file) => existsSync(file));
}

/*
 * What runs in the page is text: the tests are programs of Node, and their types have no document.
 */

/** The texts of elements that are wider than their boxes, and whether the page scrolls sideways. */
const cutTexts = `(() => {
  const elements = [...document.querySelectorAll('button, .button, h1, h2, label, .badge, th')];
  const wide = elements.filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1);
  const { scrollWidth, clientWidth } = document.documentElement;
  const page = scrollWidth > clientWidth ? ['the page is ' + scrollWidth + ' wide'] : [];
  return [...wide.map(({ innerText }) => innerText), ...page];
})()`;

/** The texts of diagrams that cross the edge of a box or of the diagram. */
const crossingLabels = `[...document.querySelectorAll('svg.diagram')].flatMap((svg) => {
  const inside = (a, b) => a.x >= b.x && a.x + a.width <= b.x + b.width && a.y >= b.y && a.y + a.height <= b.y + b.height;
  const apart = (a, b) => a.x >= b.x + b.width || a.x + a.width <= b.x || a.y >= b.y + b.height || a.y + a.height <= b.y;
  const boxes = [...svg.querySelectorAll('rect.box, rect.note')].map((box) => box.getBBox());
  return [...svg.querySelectorAll('text')]
    .map((text) => ({ text: text.textContent, at: text.getBBox() }))
    .filter(({ at }) => !inside(at, svg.viewBox.baseVal) || boxes.some((box) => !inside(at, box) && !apart(at, box)))
    .map(({ text }) => text);
})`;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that are broken, each with the elements that break it. */
const violations = `axe
  .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;

/** A page of a headless browser, and what went wrong in it. */
export class BrowserPage {
  readonly page: Page;
  readonly #browser: Browser;
  /** Errors of scripts, refused loads and violations of the page's policy. */
  readonly errors: string[] = [];
  /** The origins that the page sent requests to. */
  readonly origins = new Set<string>();

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser;
    this.page = page;
    page.on('pageerror', (error) => this.errors.push(error.message));
    // A response of the API that is not 2xx is an error of the browser's console, and often what a test wants.
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.errors.push(message.text());
    });
    page.on('request', (request) => this.origins.add(new URL(request.url()).origin));
  }

  static async open(colorScheme: 'light' | 'dark' = 'light'): Promise<BrowserPage> {
    // A container's root cannot make the namespaces of Chromium's sandbox. The pages are our own.
    const args = ['--no-sandbox', '--disable-dev-shm-usage'];
    const executablePath = chromiumPath() ?? 'chromium';
    const browser = await chromium.launch({ executablePath, args });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme });
    return new BrowserPage(browser, await context.newPage());
  }

  /** Goes to another place of a single-page application. */
  async goTo(hash: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  }

  /** Waits until an element has the text. */
  async shows(selector: string, text: string | RegExp): Promise<void> {
    await this.page.locator(selector, { hasText: text }).first().waitFor({ state: 'visible' });
  }

  /** Waits until the text field of the page contains the text. */
  async edits(text: string): Promise<void> {
    const field = this.page.locator('textarea');
    await field.waitFor();
    await waitFor(
      async () => (await field.inputValue()).includes(text),
      30_000,
      () => `the text field does not contain ${text}`,
    );
  }

  /** Writes a picture for the documentation if APICHAIN_SCREENSHOTS names a folder. */
  async picture(name: string): Promise<void> {
    const folder = process.env['APICHAIN_SCREENSHOTS'];
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    // Fonts and colours of a moment ago would blur the picture.
    await this.page.waitForTimeout(400);
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }

  /** No text of a button, link or heading is wider than its box, and the page does not scroll sideways. */
  async assertNothingCut(): Promise<void> {
    const cut = await this.page.evaluate<string[]>(cutTexts);
    assert.deepEqual(cut, []);
  }

  /** Every label of a diagram is inside of its box, or beside all boxes. */
  async assertLabelsInside(): Promise<void> {
    assert.deepEqual(await this.page.evaluate<string[]>(crossingLabels), []);
  }

  /** What is shown is accessible by the rules of WCAG 2.2, A and AA: https://www.deque.com/axe/ */
  async assertAccessible(): Promise<void> {
    await this.page.evaluate(axe);
    const found = await this.page.evaluate<string[]>(violations);
    assert.deepEqual(found, []);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}
