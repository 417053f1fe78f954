// Reads {"grammar": …, "texts": […]} and prints, as JSON, which of the texts xgrammar derives. Its argument is the
// directory of @mlc-ai/web-xgrammar, whose file is CommonJS in a package that says otherwise.
const fs = require('fs');
const Module = require('module');
const path = require('path');

const file = path.resolve(process.argv[process.argv.length - 1], 'lib', 'index.js');
const library = new Module(file);
library.filename = file;
library._compile(fs.readFileSync(file, 'utf8'), file);
const { Grammar, Testings } = library.exports;

(async () => {
  const job = JSON.parse(fs.readFileSync(0, 'utf8'));
  const grammar = await Grammar.fromEBNF(job.grammar, 'root');
  const derived = [];
  for (const text of job.texts) {
    derived.push(await Testings.isGrammarAcceptString(grammar, text));
  }
  process.stdout.write(JSON.stringify(derived));
})().catch((e) => {
  console.error(e);
  process.exit(1);
});
