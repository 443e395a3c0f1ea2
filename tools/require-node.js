// Plain JavaScript on purpose: an old Node must be able to read this far to say what is wrong.
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(`Deputy's scripts need Node 24 or newer; this is ${process.version}.`)
  console.error('On Linux `npm ci` installs it into node_modules, and `npm run`, `npm test` and `npm start` use that one. Elsewhere install Node 24 first.')
  process.exit(1)
}
