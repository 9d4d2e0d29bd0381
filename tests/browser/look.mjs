// Looks at pages in a browser: node look.mjs PLAN.json, where the plan has `modules` (the folder that holds node_modules), `browser`
// (its program) and `pages` (files). Prints one JSON object a page: what is wrong with it, and its elements as lines.
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const require = createRequire(plan.modules + '/');
const {chromium} = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const {HtmlValidate} = require('html-validate');

const widths = [320, 800, 1280];
const schemes = ['light', 'dark'];
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

// What a stylesheet may leave to the page: raw text that looks like markup is escaped more than HTML asks for.
const validator = new HtmlValidate({
  extends: ['html-validate:standard'],
  rules: {'no-raw-characters': 'error'},
});

/** In the page: what is cut off, or drawn over something else. */
function misplaced() {
  const wrong = [];
  if (document.documentElement.scrollWidth > window.innerWidth) wrong.push('the page scrolls sideways');
  for (const picture of document.querySelectorAll('svg')) {
    const frame = picture.getBoundingClientRect();
    const texts = [...picture.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([words, box], i) => {
      const name = picture.getAttribute('aria-labelledby');
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        wrong.push(`${name}: "${words}" leaves the figure`);
      for (const [others, other] of texts.slice(i + 1)) {
        if (box.left < other.right - 1 && other.left < box.right - 1 && box.top < other.bottom - 3 && other.top < box.bottom - 3)
          wrong.push(`${name}: "${words}" and "${others}" overlap`);
      }
    });
  }
  return wrong;
}

/** In the page: whether the receipt takes room where a reader has unfolded it. */
function rawIsShown() {
  for (const folded of document.querySelectorAll('details')) folded.open = true;
  const raw = document.querySelector('pre#receipt');
  return raw !== null && raw.getBoundingClientRect().height > 0;
}

/** In the page: its elements with their own text, one a line; of figures only their titles. */
function outline() {
  const lines = [];
  const walk = (element, depth) => {
    const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent).join('');
    const text = element.tagName === 'PRE' ? '...' : own.replace(/\s+/g, ' ').trim();
    lines.push('  '.repeat(depth) + element.tagName.toLowerCase() + (text ? ': ' + text : ''));
    for (const child of element.children) {
      if (element.tagName.toLowerCase() !== 'svg' || child.tagName === 'title' || child.tagName === 'desc') walk(child, depth + 1);
    }
  };
  walk(document.querySelector('main'), 0);
  return lines;
}

/** One page: what it is at three widths, light and dark, and printed. Resizing it is cheaper than six visits, and the same: nothing runs.
 * Dark differs from light in its colours alone, so axe looks at it at one width. */
async function look(browser, file) {
  const wrong = [];
  let place = '';
  const say = (what) => wrong.push(`${place}: ${what}`);
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on('console', (message) => say(`console: ${message.text()}`));
  page.on('pageerror', (error) => say(`error: ${error.message}`));
  page.on('request', (request) => request.url() === 'file://' + file || say(`requests ${request.url()}`));
  for (const width of widths) {
    for (const colorScheme of schemes) {
      const first = place === '';
      place = `${width} ${colorScheme}`;
      await page.setViewportSize({width, height: 900});
      await page.emulateMedia({colorScheme});
      if (first) {
        await page.goto('file://' + file);
        await page.evaluate(axe);
      }
      (await page.evaluate(misplaced)).forEach(say);
      if (colorScheme === 'light' || width === widths.at(-1)) {
        const found = await page.evaluate((values) => window.axe.run({runOnly: {type: 'tag', values}}), rules);
        for (const violation of found.violations)
          say(`axe: ${violation.id}: ${violation.help}: ${violation.nodes[0].html.slice(0, 200)}`);
      }
      if (plan.shots) await page.screenshot({path: `${plan.shots}/${file.split('/').pop()}-${width}-${colorScheme}.png`, fullPage: true});
    }
  }
  const lines = await page.evaluate(outline);
  place = 'print';
  for (const format of ['A4', 'Letter']) {
    const printed = await page.pdf({format, margin: {top: '1.5cm', bottom: '1.5cm', left: '1.5cm', right: '1.5cm'}});
    if (printed.subarray(0, 5).toString() !== '%PDF-') say(`${format} is not printed`);
  }
  await page.emulateMedia({media: 'print', colorScheme: 'light'});
  await page.setViewportSize({width: 680, height: 1000});  // A4 less margins, in pixels
  (await page.evaluate(misplaced)).forEach(say);
  const tall = await page.evaluate(() => [...document.querySelectorAll('figure')].filter((f) => f.getBoundingClientRect().height > 980).length);
  if (tall > 0) say(`${tall} figures are taller than a page`);
  if (await page.evaluate(rawIsShown)) say('the receipt is printed as raw text');
  await context.close();
  const report = await validator.validateFile(file);
  for (const result of report.results)
    for (const message of result.messages.slice(0, 20))
      wrong.push(`html-validate: ${message.ruleId}: ${message.message} (${message.line}:${message.column})`);
  return {file, wrong, lines};
}

const browser = await chromium.launch({executablePath: plan.browser, args: ['--no-sandbox']});
const results = [];
for (const file of plan.pages) results.push(await look(browser, file));
await browser.close();
process.stdout.write(JSON.stringify(results));
