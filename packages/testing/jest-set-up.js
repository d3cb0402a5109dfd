module.exports = require('./dist/jest-global').setUp;
