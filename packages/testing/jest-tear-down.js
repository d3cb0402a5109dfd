module.exports = require('./dist/jest-global').tearDown;
